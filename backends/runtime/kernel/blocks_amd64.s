//go:build amd64 && !purego

#include "textflag.h"

// Six rows by 16 columns in AVX2, added to what is there: half a panel stays in the first cache while
// all rows go by. Order and rounding of the sums are those of gemmAVX2.

#define ROW6(addr, lo, hi) \
	VBROADCASTSS addr, Y14; \
	VMULPS Y12, Y14, Y15; \
	VADDPS Y15, lo, lo; \
	VMULPS Y13, Y14, Y14; \
	VADDPS Y14, hi, hi

#define STEP6(at, panel) \
	VMOVUPS panel(DX), Y12; \
	VMOVUPS panel+32(DX), Y13; \
	ROW6(at(AX), Y0, Y1); \
	ROW6(at(AX)(R8*1), Y2, Y3); \
	ROW6(at(AX)(R8*2), Y4, Y5); \
	ROW6(at(BX), Y6, Y7); \
	ROW6(at(BX)(R8*1), Y8, Y9); \
	ROW6(at(BX)(R8*2), Y10, Y11)

// func blocksAVX2(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int)
// m is a multiple of 6.
TEXT ·blocksAVX2(SB), NOSPLIT, $0-56
	MOVQ ldc+8(FP), R10
	MOVQ lda+24(FP), R8
	SHLQ $2, R10
	SHLQ $2, R8
	XORQ R13, R13            // byte offset of the half panel: 0, then 64

half:
	MOVQ dst+0(FP), DI
	ADDQ R13, DI
	MOVQ a+16(FP), SI
	MOVQ m+48(FP), R12

six:
	LEAQ (DI)(R10*2), R11
	ADDQ R10, R11            // three rows further
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS (DI)(R10*1), Y2
	VMOVUPS 32(DI)(R10*1), Y3
	VMOVUPS (DI)(R10*2), Y4
	VMOVUPS 32(DI)(R10*2), Y5
	VMOVUPS (R11), Y6
	VMOVUPS 32(R11), Y7
	VMOVUPS (R11)(R10*1), Y8
	VMOVUPS 32(R11)(R10*1), Y9
	VMOVUPS (R11)(R10*2), Y10
	VMOVUPS 32(R11)(R10*2), Y11
	MOVQ SI, AX
	LEAQ (SI)(R8*2), BX
	ADDQ R8, BX
	MOVQ b+32(FP), DX
	ADDQ R13, DX
	MOVQ k+40(FP), CX
	SUBQ $2, CX
	JLT  last

two:
	STEP6(0, 0)
	STEP6(4, 128)
	ADDQ $256, DX
	ADDQ $8, AX
	ADDQ $8, BX
	SUBQ $2, CX
	JGE  two

last:
	CMPQ CX, $-1
	JNE  store
	STEP6(0, 0)

store:
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, (DI)(R10*1)
	VMOVUPS Y3, 32(DI)(R10*1)
	VMOVUPS Y4, (DI)(R10*2)
	VMOVUPS Y5, 32(DI)(R10*2)
	VMOVUPS Y6, (R11)
	VMOVUPS Y7, 32(R11)
	VMOVUPS Y8, (R11)(R10*1)
	VMOVUPS Y9, 32(R11)(R10*1)
	VMOVUPS Y10, (R11)(R10*2)
	VMOVUPS Y11, 32(R11)(R10*2)
	LEAQ (R11)(R10*2), DI
	ADDQ R10, DI
	LEAQ (SI)(R8*4), SI
	LEAQ (SI)(R8*2), SI
	SUBQ $6, R12
	JNZ  six
	ADDQ $64, R13
	CMPQ R13, $128
	JLT  half
	VZEROUPPER
	RET
