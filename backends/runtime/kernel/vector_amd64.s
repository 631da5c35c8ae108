//go:build amd64 && !purego

#include "textflag.h"

// Operations on each number in AVX2, eight at a time: lengths are multiples of 8. The constants are
// those of vector.go, eight copies each.

#define EIGHT(name, twice) \
	DATA name<>+0(SB)/8, $twice; \
	DATA name<>+8(SB)/8, $twice; \
	DATA name<>+16(SB)/8, $twice; \
	DATA name<>+24(SB)/8, $twice; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EIGHT(erfend, 0x407a8f5c407a8f5c)
EIGHT(erfnend, 0xc07a8f5cc07a8f5c)
EIGHT(erfp0, 0x3f906eba3f906eba)
EIGHT(erfp1, 0x3e4cbaf53e4cbaf5)
EIGHT(erfp2, 0x3d4f27083d4f2708)
EIGHT(erfp3, 0x3b729b3e3b729b3e)
EIGHT(erfp4, 0x3914be833914be83)
EIGHT(erfp5, 0xb603625cb603625c)
EIGHT(erfp6, 0x32ab22fe32ab22fe)
EIGHT(erfq1, 0x3f02b1393f02b139)
EIGHT(erfq2, 0x3deb85e73deb85e7)
EIGHT(erfq3, 0x3c6b2c453c6b2c45)
EIGHT(erfq4, 0x3a7aa2443a7aa244)
EIGHT(minusone, 0xbf800000bf800000)
EIGHT(unit, 0x3f8000003f800000)
EIGHT(signbit, 0x8000000080000000)

// func plusAVX2(dst, a, b *float32, n int)
TEXT ·plusAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y0
	VADDPS (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func minusAVX2(dst, a, b *float32, n int)
TEXT ·minusAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y0
	VSUBPS (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func timesAVX2(dst, a, b *float32, n int)
TEXT ·timesAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y0
	VMULPS (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func overAVX2(dst, a, b *float32, n int)
TEXT ·overAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y0
	VDIVPS (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func negativeAVX2(dst, x *float32, n int)
TEXT ·negativeAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS (SI), Y0
	VXORPS signbit<>(SB), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func rootAVX2(dst, x *float32, n int)
TEXT ·rootAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VSQRTPS (SI), Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func erfAVX2(dst, x *float32, n int)
TEXT ·erfAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS (SI), Y0
	VMOVUPS erfend<>(SB), Y1
	VMINPS Y0, Y1, Y0        // not a number stays so
	VMOVUPS erfnend<>(SB), Y1
	VMAXPS Y0, Y1, Y0
	VMULPS Y0, Y0, Y1
	VMULPS erfp6<>(SB), Y1, Y2
	VADDPS erfp5<>(SB), Y2, Y2
	VMULPS Y1, Y2, Y2
	VADDPS erfp4<>(SB), Y2, Y2
	VMULPS Y1, Y2, Y2
	VADDPS erfp3<>(SB), Y2, Y2
	VMULPS Y1, Y2, Y2
	VADDPS erfp2<>(SB), Y2, Y2
	VMULPS Y1, Y2, Y2
	VADDPS erfp1<>(SB), Y2, Y2
	VMULPS Y1, Y2, Y2
	VADDPS erfp0<>(SB), Y2, Y2
	VMULPS erfq4<>(SB), Y1, Y3
	VADDPS erfq3<>(SB), Y3, Y3
	VMULPS Y1, Y3, Y3
	VADDPS erfq2<>(SB), Y3, Y3
	VMULPS Y1, Y3, Y3
	VADDPS erfq1<>(SB), Y3, Y3
	VMULPS Y1, Y3, Y3
	VADDPS unit<>(SB), Y3, Y3
	VMULPS Y0, Y2, Y2
	VDIVPS Y3, Y2, Y0
	VMOVUPS unit<>(SB), Y1
	VMINPS Y0, Y1, Y0
	VMOVUPS minusone<>(SB), Y1
	VMAXPS Y0, Y1, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func adamAVX2(w, grad, m, v *float32, c *Adam, n int)
TEXT ·adamAVX2(SB), NOSPLIT, $0-48
	MOVQ w+0(FP), DI
	MOVQ grad+8(FP), SI
	MOVQ m+16(FP), R8
	MOVQ v+24(FP), R9
	MOVQ c+32(FP), AX
	MOVQ n+40(FP), CX
	VBROADCASTSS (AX), Y8    // Rise1
	VBROADCASTSS 4(AX), Y9   // Keep2
	VBROADCASTSS 8(AX), Y10  // Rise2
	VBROADCASTSS 12(AX), Y11 // Root
	VBROADCASTSS 16(AX), Y12 // Epsilon
	VBROADCASTSS 20(AX), Y13 // Size
	VBROADCASTSS 24(AX), Y14 // Keep

loop:
	VMOVUPS (SI), Y0
	VMOVUPS (R8), Y1
	VSUBPS Y1, Y0, Y2
	VMULPS Y2, Y8, Y2
	VADDPS Y2, Y1, Y1
	VMOVUPS Y1, (R8)
	VMULPS (R9), Y9, Y3
	VMULPS Y0, Y10, Y4
	VMULPS Y0, Y4, Y4
	VADDPS Y4, Y3, Y3
	VMOVUPS Y3, (R9)
	VSQRTPS Y3, Y3
	VDIVPS Y11, Y3, Y3
	VADDPS Y12, Y3, Y3
	VDIVPS Y3, Y1, Y1
	VMULPS Y1, Y13, Y1
	VMULPS (DI), Y14, Y0
	VSUBPS Y1, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, R8
	ADDQ $32, R9
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET
