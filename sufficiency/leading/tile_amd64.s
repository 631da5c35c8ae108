//go:build amd64 && !purego

#include "textflag.h"

// One row of the left factor times two vectors of the right.
#define ROW(at, low, high) \
	VBROADCASTSD at(SI), Y10 \
	VMULPD Y8, Y10, Y11      \
	VADDPD Y11, low, low     \
	VMULPD Y9, Y10, Y12      \
	VADDPD Y12, high, high

// Adds a row of the product to where it belongs.
#define ADD(low, high) \
	VMULPD low, Y10, low      \
	VMULPD high, Y10, high    \
	VADDPD (DI), low, low     \
	VADDPD 32(DI), high, high \
	VMOVUPD low, (DI)         \
	VMOVUPD high, 32(DI)

// func tileAVX2(h *half, a, b *float64)
//
// Products and sums are rounded one by one, as in tilePortable.
TEXT ·tileAVX2(SB), NOSPLIT, $0-24
	MOVQ h+0(FP), AX
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ 0(AX), DI
	MOVQ 8(AX), BX
	MOVQ 24(AX), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	TESTQ $1, CX
	JZ even
	VMOVUPD (DX), Y8
	VMOVUPD 32(DX), Y9
	ROW(0, Y0, Y1)
	ROW(8, Y2, Y3)
	ROW(16, Y4, Y5)
	ROW(24, Y6, Y7)
	ADDQ $64, SI
	ADDQ $64, DX
even:
	SHRQ $1, CX
	JZ done
two:
	VMOVUPD (DX), Y8
	VMOVUPD 32(DX), Y9
	ROW(0, Y0, Y1)
	ROW(8, Y2, Y3)
	ROW(16, Y4, Y5)
	ROW(24, Y6, Y7)
	VMOVUPD 64(DX), Y8
	VMOVUPD 96(DX), Y9
	ROW(64, Y0, Y1)
	ROW(72, Y2, Y3)
	ROW(80, Y4, Y5)
	ROW(88, Y6, Y7)
	ADDQ $128, SI
	ADDQ $128, DX
	DECQ CX
	JNZ two
done:
	VBROADCASTSD 16(AX), Y10
	ADD(Y0, Y1)
	ADDQ BX, DI
	ADD(Y2, Y3)
	ADDQ BX, DI
	ADD(Y4, Y5)
	ADDQ BX, DI
	ADD(Y6, Y7)
	VZEROUPPER
	RET

// func sweepAVX2(sums *[8]float64, row, x, y *float64, factor float64, eights int)
TEXT ·sweepAVX2(SB), NOSPLIT, $0-48
	MOVQ sums+0(FP), DI
	MOVQ row+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ y+24(FP), BX
	VBROADCASTSD factor+32(FP), Y2
	MOVQ eights+40(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
eight:
	VMOVUPD (SI), Y3
	VMOVUPD 32(SI), Y4
	VMULPD (DX), Y3, Y5
	VMULPD 32(DX), Y4, Y6
	VADDPD Y5, Y0, Y0
	VADDPD Y6, Y1, Y1
	VMULPD Y3, Y2, Y3
	VMULPD Y4, Y2, Y4
	VADDPD (BX), Y3, Y3
	VADDPD 32(BX), Y4, Y4
	VMOVUPD Y3, (BX)
	VMOVUPD Y4, 32(BX)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, BX
	DECQ CX
	JNZ eight
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VZEROUPPER
	RET
