//go:build amd64 && !purego

#include "textflag.h"

// func takeLessAVX2(cells, below *int64, d int64, n int)
TEXT ·takeLessAVX2(SB), NOSPLIT, $0-32
	MOVQ cells+0(FP), DI
	MOVQ below+8(FP), SI
	VPBROADCASTQ d+16(FP), Y0
	MOVQ n+24(FP), CX
	XORQ AX, AX

less:
	VPADDQ (SI)(AX*8), Y0, Y1
	VMOVDQU (DI)(AX*8), Y2
	VPCMPGTQ Y1, Y2, Y3
	VBLENDVPD Y3, Y1, Y2, Y2
	VMOVDQU Y2, (DI)(AX*8)
	ADDQ $4, AX
	CMPQ AX, CX
	JLT  less

	VZEROUPPER
	RET
