//go:build amd64 && !purego

#include "textflag.h"

// Products with panels of 16-bit numbers in AVX2, which widen them in registers: blocks and order of
// additions are those of gemmAVX2, and so are the bits. A row of a panel is 64 bytes.

DATA upper<>+0(SB)/8, $0xffff0000ffff0000
DATA upper<>+8(SB)/8, $0xffff0000ffff0000
DATA upper<>+16(SB)/8, $0xffff0000ffff0000
DATA upper<>+24(SB)/8, $0xffff0000ffff0000
GLOBL upper<>(SB), RODATA|NOPTR, $32

// Sixteen numbers at addr: with bfloat16 eight columns and those sixteen further,
// with float16 sixteen in a row.
#define BRAIN(addr, lo, hi) \
	VMOVUPS addr, hi; \
	VPSLLD $16, hi, lo; \
	VANDPS Y10, hi, hi

#define HALFROW(addr, lo, hi) \
	VBROADCASTSS addr, Y14; \
	VMULPS Y12, Y14, Y15; \
	VADDPS Y15, lo, lo; \
	VMULPS Y13, Y14, Y11; \
	VADDPS Y11, hi, hi

#define ARGS \
	MOVQ dst+0(FP), DI; \
	MOVQ ldc+8(FP), R10; \
	MOVQ a+16(FP), SI; \
	MOVQ lda+24(FP), R8; \
	MOVQ m+48(FP), R12; \
	SHLQ $2, R10; \
	SHLQ $2, R8; \
	LEAQ (R8)(R8*2), R9; \
	LEAQ (R10)(R10*2), R11

#define ZERO8 \
	VXORPS Y0, Y0, Y0; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
	VXORPS Y3, Y3, Y3; \
	VXORPS Y4, Y4, Y4; \
	VXORPS Y5, Y5, Y5; \
	VXORPS Y6, Y6, Y6; \
	VXORPS Y7, Y7, Y7

#define FOURROWS \
	HALFROW((AX), Y0, Y1); \
	HALFROW((AX)(R8*1), Y2, Y3); \
	HALFROW((AX)(R8*2), Y4, Y5); \
	HALFROW((AX)(R9*1), Y6, Y7); \
	ADDQ $64, DX; \
	ADDQ $4, AX; \
	DECQ CX

// Four rows of lo at (BX), of hi off bytes further.
#define STORE4(off) \
	VMOVUPS Y0, (BX); \
	VMOVUPS Y1, off(BX); \
	VMOVUPS Y2, (BX)(R10*1); \
	VMOVUPS Y3, off(BX)(R10*1); \
	VMOVUPS Y4, (BX)(R10*2); \
	VMOVUPS Y5, off(BX)(R10*2); \
	VMOVUPS Y6, (BX)(R11*1); \
	VMOVUPS Y7, off(BX)(R11*1)

#define ADD4(a, b, c, d) \
	VMULPS a, Y14, a; \
	VMULPS b, Y14, b; \
	VMULPS c, Y14, c; \
	VMULPS d, Y14, d; \
	VADDPS a, Y0, Y0; \
	VADDPS b, Y1, Y1; \
	VADDPS c, Y2, Y2; \
	VADDPS d, Y3, Y3

// func gemmBrainAVX2(dst *float32, ldc int, a *float32, lda int, b *uint16, k, m int)
TEXT ·gemmBrainAVX2(SB), NOSPLIT, $0-56
	ARGS
	VMOVUPS upper<>(SB), Y10

four:
	CMPQ R12, $4
	JLT  one
	XORQ R13, R13            // byte offset of the half row: 0, then 32

half:
	MOVQ SI, AX
	MOVQ b+32(FP), DX
	ADDQ R13, DX
	MOVQ k+40(FP), CX
	ZERO8

fourk:
	BRAIN((DX), Y12, Y13)
	FOURROWS
	JNZ  fourk

	LEAQ (DI)(R13*1), BX
	STORE4(64)
	ADDQ $32, R13
	CMPQ R13, $64
	JLT  half
	LEAQ (SI)(R8*4), SI
	LEAQ (DI)(R10*4), DI
	SUBQ $4, R12
	JMP  four

one:
	TESTQ R12, R12
	JZ   done
	MOVQ SI, AX
	MOVQ b+32(FP), DX
	MOVQ k+40(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

onek:
	PREFETCHT0 1024(DX)
	VBROADCASTSS (AX), Y14
	BRAIN((DX), Y4, Y6)
	BRAIN(32(DX), Y5, Y7)
	ADD4(Y4, Y5, Y6, Y7)
	ADDQ $64, DX
	ADDQ $4, AX
	DECQ CX
	JNZ  onek

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ R8, SI
	ADDQ R10, DI
	DECQ R12
	JMP  one

done:
	VZEROUPPER
	RET

// func gemmHalfF16C(dst *float32, ldc int, a *float32, lda int, b *uint16, k, m int)
TEXT ·gemmHalfF16C(SB), NOSPLIT, $0-56
	ARGS

four:
	CMPQ R12, $4
	JLT  one
	XORQ R13, R13

half:
	MOVQ SI, AX
	MOVQ b+32(FP), DX
	ADDQ R13, DX
	MOVQ k+40(FP), CX
	ZERO8

fourk:
	VCVTPH2PS (DX), Y12
	VCVTPH2PS 16(DX), Y13
	FOURROWS
	JNZ  fourk

	LEAQ (DI)(R13*2), BX
	STORE4(32)
	ADDQ $32, R13
	CMPQ R13, $64
	JLT  half
	LEAQ (SI)(R8*4), SI
	LEAQ (DI)(R10*4), DI
	SUBQ $4, R12
	JMP  four

one:
	TESTQ R12, R12
	JZ   done
	MOVQ SI, AX
	MOVQ b+32(FP), DX
	MOVQ k+40(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

onek:
	PREFETCHT0 1024(DX)
	VBROADCASTSS (AX), Y14
	VCVTPH2PS (DX), Y4
	VCVTPH2PS 16(DX), Y5
	VCVTPH2PS 32(DX), Y6
	VCVTPH2PS 48(DX), Y7
	ADD4(Y4, Y5, Y6, Y7)
	ADDQ $64, DX
	ADDQ $4, AX
	DECQ CX
	JNZ  onek

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ R8, SI
	ADDQ R10, DI
	DECQ R12
	JMP  one

done:
	VZEROUPPER
	RET

// func widenBrainAVX2(dst *float32, b *uint16, k int)
TEXT ·widenBrainAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ b+8(FP), DX
	MOVQ k+16(FP), CX
	VMOVUPS upper<>(SB), Y10

loop:
	BRAIN((DX), Y0, Y2)
	BRAIN(32(DX), Y1, Y3)
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ $64, DX
	ADDQ $128, DI
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET

// func widenHalfF16C(dst *float32, b *uint16, k int)
TEXT ·widenHalfF16C(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ b+8(FP), DX
	MOVQ k+16(FP), CX

loop:
	VCVTPH2PS (DX), Y0
	VCVTPH2PS 16(DX), Y1
	VCVTPH2PS 32(DX), Y2
	VCVTPH2PS 48(DX), Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ $64, DX
	ADDQ $128, DI
	DECQ CX
	JNZ  loop
	VZEROUPPER
	RET
