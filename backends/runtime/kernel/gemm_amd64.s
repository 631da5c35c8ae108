//go:build amd64 && !purego

#include "textflag.h"

// Both products walk one panel of 32 outputs in order of k and keep blocks of
// rows in registers. Multiplication and addition are separate instructions:
// the bits must equal the portable code's.

// Eight, four or one row by 32 columns of AVX-512.

#define ROW512(addr, lo, hi) \
	VBROADCASTSS addr, Z26; \
	VMULPS Z24, Z26, Z27; \
	VMULPS Z25, Z26, Z28; \
	VADDPS Z27, lo, lo; \
	VADDPS Z28, hi, hi

#define PANEL512 \
	VMOVUPS (DX), Z24; \
	VMOVUPS 64(DX), Z25; \
	ADDQ $128, DX

// func gemmAVX512(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)
TEXT ·gemmAVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ ldc+8(FP), R10
	MOVQ a+16(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ m+48(FP), R12
	SHLQ $2, R10             // strides in bytes
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9      // 3·lda
	LEAQ (R10)(R10*2), R11   // 3·ldc

eight:
	CMPQ R12, $8
	JLT  four
	MOVQ SI, AX
	LEAQ (SI)(R8*4), BX
	MOVQ b+32(FP), DX
	MOVQ k+40(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	VPXORQ Z8, Z8, Z8
	VPXORQ Z9, Z9, Z9
	VPXORQ Z10, Z10, Z10
	VPXORQ Z11, Z11, Z11
	VPXORQ Z12, Z12, Z12
	VPXORQ Z13, Z13, Z13
	VPXORQ Z14, Z14, Z14
	VPXORQ Z15, Z15, Z15

eightk:
	PANEL512
	ROW512((AX), Z0, Z1)
	ROW512((AX)(R8*1), Z2, Z3)
	ROW512((AX)(R8*2), Z4, Z5)
	ROW512((AX)(R9*1), Z6, Z7)
	ROW512((BX), Z8, Z9)
	ROW512((BX)(R8*1), Z10, Z11)
	ROW512((BX)(R8*2), Z12, Z13)
	ROW512((BX)(R9*1), Z14, Z15)
	ADDQ $4, AX
	ADDQ $4, BX
	DECQ CX
	JNZ  eightk

	LEAQ (DI)(R10*4), R13
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, (DI)(R10*1)
	VMOVUPS Z3, 64(DI)(R10*1)
	VMOVUPS Z4, (DI)(R10*2)
	VMOVUPS Z5, 64(DI)(R10*2)
	VMOVUPS Z6, (DI)(R11*1)
	VMOVUPS Z7, 64(DI)(R11*1)
	VMOVUPS Z8, (R13)
	VMOVUPS Z9, 64(R13)
	VMOVUPS Z10, (R13)(R10*1)
	VMOVUPS Z11, 64(R13)(R10*1)
	VMOVUPS Z12, (R13)(R10*2)
	VMOVUPS Z13, 64(R13)(R10*2)
	VMOVUPS Z14, (R13)(R11*1)
	VMOVUPS Z15, 64(R13)(R11*1)
	LEAQ (SI)(R8*8), SI
	LEAQ (DI)(R10*8), DI
	SUBQ $8, R12
	JMP  eight

four:
	CMPQ R12, $4
	JLT  one
	MOVQ SI, AX
	MOVQ b+32(FP), DX
	MOVQ k+40(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7

fourk:
	PANEL512
	ROW512((AX), Z0, Z1)
	ROW512((AX)(R8*1), Z2, Z3)
	ROW512((AX)(R8*2), Z4, Z5)
	ROW512((AX)(R9*1), Z6, Z7)
	ADDQ $4, AX
	DECQ CX
	JNZ  fourk

	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, (DI)(R10*1)
	VMOVUPS Z3, 64(DI)(R10*1)
	VMOVUPS Z4, (DI)(R10*2)
	VMOVUPS Z5, 64(DI)(R10*2)
	VMOVUPS Z6, (DI)(R11*1)
	VMOVUPS Z7, 64(DI)(R11*1)
	LEAQ (SI)(R8*4), SI
	LEAQ (DI)(R10*4), DI
	SUBQ $4, R12

one:
	TESTQ R12, R12
	JZ   done
	MOVQ SI, AX
	MOVQ b+32(FP), DX
	MOVQ k+40(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1

onek:
	PANEL512
	ROW512((AX), Z0, Z1)
	ADDQ $4, AX
	DECQ CX
	JNZ  onek

	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	ADDQ R8, SI
	ADDQ R10, DI
	DECQ R12
	JMP  one

done:
	VZEROUPPER
	RET

// Four rows by 16 columns, or one row by 32, of AVX2.

#define ROW256(addr, lo, hi) \
	VBROADCASTSS addr, Y14; \
	VMULPS Y12, Y14, Y15; \
	VADDPS Y15, lo, lo; \
	VMULPS Y13, Y14, Y11; \
	VADDPS Y11, hi, hi

// func gemmAVX2(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)
TEXT ·gemmAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ ldc+8(FP), R10
	MOVQ a+16(FP), SI
	MOVQ lda+24(FP), R8
	MOVQ m+48(FP), R12
	SHLQ $2, R10
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (R10)(R10*2), R11

four:
	CMPQ R12, $4
	JLT  one
	XORQ R13, R13            // byte offset of the half panel: 0, then 64

half:
	MOVQ SI, AX
	MOVQ b+32(FP), DX
	ADDQ R13, DX
	MOVQ k+40(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

fourk:
	VMOVUPS (DX), Y12
	VMOVUPS 32(DX), Y13
	ADDQ $128, DX
	ROW256((AX), Y0, Y1)
	ROW256((AX)(R8*1), Y2, Y3)
	ROW256((AX)(R8*2), Y4, Y5)
	ROW256((AX)(R9*1), Y6, Y7)
	ADDQ $4, AX
	DECQ CX
	JNZ  fourk

	LEAQ (DI)(R13*1), BX
	VMOVUPS Y0, (BX)
	VMOVUPS Y1, 32(BX)
	VMOVUPS Y2, (BX)(R10*1)
	VMOVUPS Y3, 32(BX)(R10*1)
	VMOVUPS Y4, (BX)(R10*2)
	VMOVUPS Y5, 32(BX)(R10*2)
	VMOVUPS Y6, (BX)(R11*1)
	VMOVUPS Y7, 32(BX)(R11*1)
	ADDQ $64, R13
	CMPQ R13, $128
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
	VBROADCASTSS (AX), Y14
	VMULPS (DX), Y14, Y4
	VMULPS 32(DX), Y14, Y5
	VMULPS 64(DX), Y14, Y6
	VMULPS 96(DX), Y14, Y7
	VADDPS Y4, Y0, Y0
	VADDPS Y5, Y1, Y1
	VADDPS Y6, Y2, Y2
	VADDPS Y7, Y3, Y3
	ADDQ $128, DX
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
