//go:build amd64 && !purego

#include "textflag.h"

// func scanAVX512(bins *int64, n int, p *packing, sides *side, mean, score float64, found *best)
//
// scanPortable for all eight columns at once, one bin a round. Products and
// differences are rounded one by one, as there.
TEXT ·scanAVX512(SB), NOSPLIT, $0-56
	MOVQ bins+0(FP), AX
	MOVQ n+8(FP), CX
	MOVQ p+16(FP), DX
	MOVQ sides+24(FP), SI
	MOVQ found+48(FP), DI
	VMOVQ 0(DX), X1                  // shift
	VPBROADCASTQ 16(DX), Z2          // half
	VBROADCASTSD mean+32(FP), Z3
	VBROADCASTSD score+40(FP), Z4    // largest scores
	VPTERNLOGD $0xff, Z5, Z5, Z5     // their bins, −1
	VPXORQ Z6, Z6, Z6                // sums
	VPXORQ Z7, Z7, Z7                // bin
	VPTERNLOGD $0xff, Z8, Z8, Z8     // −1
	TESTQ CX, CX
	JLE done
round:
	VPADDQ (AX), Z6, Z6
	VPADDQ Z2, Z6, Z9
	VPSRLQ X1, Z9, Z9                // records
	VPSLLQ X1, Z9, Z10
	VPSUBQ Z10, Z6, Z10              // residuals
	VCVTQQ2PD Z10, Z10
	VCVTQQ2PD Z9, Z11
	VMULPD Z3, Z11, Z11
	VSUBPD Z11, Z10, Z10             // d
	VMULPD Z10, Z10, Z10
	VPADDQ Z9, Z9, Z9                // a side is two numbers
	KXNORW K1, K1, K1
	VPXORQ Z12, Z12, Z12
	VGATHERQPD 8(SI)(Z9*8), K1, Z12  // weights
	VMULPD Z12, Z10, Z10
	VCMPPD $0x1e, Z4, Z10, K2        // more than the largest
	VMOVAPD Z10, K2, Z4
	VMOVDQA64 Z7, K2, Z5
	VPSUBQ Z8, Z7, Z7
	ADDQ $64, AX
	DECQ CX
	JNZ round
done:
	VMOVUPD Z4, 0(DI)
	VMOVDQU64 Z5, 64(DI)
	VZEROUPPER
	RET

// func subtractAVX512(to, from, less *int64, n int)
TEXT ·subtractAVX512(SB), NOSPLIT, $0-32
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ less+16(FP), DX
	MOVQ n+24(FP), CX
	TESTQ CX, CX
	JLE end
row:
	VMOVDQU64 (SI), Z0
	VPSUBQ (DX), Z0, Z0
	VMOVDQU64 Z0, (DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	DECQ CX
	JNZ row
end:
	VZEROUPPER
	RET
