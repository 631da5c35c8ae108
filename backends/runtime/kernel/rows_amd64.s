//go:build amd64 && !purego

#include "textflag.h"

// Row functions in AVX2: sixteen numbers a step in two registers, so that the
// partial sums are those of the portable code. Lengths are multiples of 16.
// The constants are those of portable.go, eight copies each.

#define CONST(name, twice) \
	DATA name<>+0(SB)/8, $twice; \
	DATA name<>+8(SB)/8, $twice; \
	DATA name<>+16(SB)/8, $twice; \
	DATA name<>+24(SB)/8, $twice; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

CONST(low, 0xc2ae999ac2ae999a)
CONST(high, 0x42b0000042b00000)
CONST(bias, 0x4b4000004b400000)
CONST(log2e, 0x3fb8aa3b3fb8aa3b)
CONST(ln2high, 0x3f3180003f318000)
CONST(ln2low, 0xb95e8083b95e8083)
CONST(c0, 0x3efffffe3efffffe)
CONST(c1, 0x3e2aaa483e2aaa48)
CONST(c2, 0x3d2aac7c3d2aac7c)
CONST(c3, 0x3c091d733c091d73)
CONST(c4, 0x3ab511433ab51143)
CONST(onef, 0x3f8000003f800000)
CONST(gelua, 0xbfcc422abfcc422a)
CONST(gelub, 0xbd922279bd922279)
CONST(normalp, 0x3e6d33893e6d3389)
CONST(normalb1, 0x3e0279063e027906)
CONST(normalb2, 0xbe11a98ebe11a98e)
CONST(normalb3, 0x3f35f0e33f35f0e3)
CONST(normalb4, 0xbf3a00e3bf3a00e3)
CONST(normalb5, 0x3f07dc223f07dc22)
CONST(minushalf, 0xbf000000bf000000)
CONST(absmask, 0x7fffffff7fffffff)
CONST(signf, 0x8000000080000000)

// x = e^x as in expGo; n, p, t and m are scratch. Not a number stays so: the
// mask m is "not less than", and VMINPS returns x when unordered.
#define EXP(x, n, p, t, m) \
	VCMPPS $5, low<>(SB), x, m; \
	VMOVUPS high<>(SB), t; \
	VMINPS x, t, x; \
	VMULPS log2e<>(SB), x, n; \
	VADDPS bias<>(SB), n, n; \
	VSUBPS bias<>(SB), n, p; \
	VMULPS ln2high<>(SB), p, t; \
	VSUBPS t, x, x; \
	VMULPS ln2low<>(SB), p, t; \
	VSUBPS t, x, x; \
	VMULPS c4<>(SB), x, p; \
	VADDPS c3<>(SB), p, p; \
	VMULPS x, p, p; \
	VADDPS c2<>(SB), p, p; \
	VMULPS x, p, p; \
	VADDPS c1<>(SB), p, p; \
	VMULPS x, p, p; \
	VADDPS c0<>(SB), p, p; \
	VMULPS x, x, t; \
	VMULPS t, p, p; \
	VADDPS x, p, p; \
	VADDPS onef<>(SB), p, p; \
	VPSLLD $23, n, n; \
	VPADDD n, p, x; \
	VANDPS m, x, x

// Reduces sixteen partial sums in two registers: distance 8, 4, 2, 1.
#define TREE(op, Ylo, Yhi, Xlo, Xhi) \
	op Yhi, Ylo, Ylo; \
	VEXTRACTF128 $1, Ylo, Xhi; \
	op Xhi, Xlo, Xlo; \
	VPERMILPS $0x0e, Xlo, Xhi; \
	op Xhi, Xlo, Xlo; \
	VPERMILPS $0x01, Xlo, Xhi; \
	op Xhi, Xlo, Xlo

// func sumsqAVX2(x *float32, n int) float32
TEXT ·sumsqAVX2(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

loop:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VMULPS Y2, Y2, Y2
	VMULPS Y3, Y3, Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ  loop
	TREE(VADDPS, Y0, Y1, X0, X1)
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func maximumAVX2(x *float32, n int) float32
TEXT ·maximumAVX2(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1

loop:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VMAXPS Y0, Y2, Y0
	VMAXPS Y1, Y3, Y1
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ  loop
	TREE(VMAXPS, Y0, Y1, X0, X1)
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func expSumAVX2(x *float32, max float32, n int) float32
TEXT ·expSumAVX2(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), SI
	VBROADCASTSS max+8(FP), Y12
	MOVQ n+16(FP), CX
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

loop:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VSUBPS Y12, Y0, Y0
	VSUBPS Y12, Y1, Y1
	EXP(Y0, Y2, Y3, Y4, Y5)
	EXP(Y1, Y6, Y7, Y8, Y9)
	VMOVUPS Y0, (SI)
	VMOVUPS Y1, 32(SI)
	VADDPS Y0, Y10, Y10
	VADDPS Y1, Y11, Y11
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ  loop
	TREE(VADDPS, Y10, Y11, X10, X11)
	VMOVSS X10, ret+24(FP)
	VZEROUPPER
	RET

// func scaleAVX2(dst, x, w *float32, r float32, n int)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	VBROADCASTSS r+24(FP), Y12
	MOVQ n+32(FP), CX

loop:
	VMULPS (SI), Y12, Y0
	VMULPS 32(SI), Y12, Y1
	VMULPS (DX), Y0, Y0
	VMULPS 32(DX), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// func addScaleAVX2(dst, x, w *float32, r float32, n int)
TEXT ·addScaleAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	VBROADCASTSS r+24(FP), Y12
	MOVQ n+32(FP), CX

loop:
	VMULPS (SI), Y12, Y0
	VMULPS 32(SI), Y12, Y1
	VMULPS (DX), Y0, Y0
	VMULPS 32(DX), Y1, Y1
	VADDPS (DI), Y0, Y0
	VADDPS 32(DI), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// x = x·(gelua + gelub·x²); s is scratch.
#define GELUARG(x, s) \
	VMULPS x, x, s; \
	VMULPS gelub<>(SB), s, s; \
	VADDPS gelua<>(SB), s, s; \
	VMULPS s, x, x

// func geluMulAVX2(dst, gate, up *float32, n int)
TEXT ·geluMulAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ gate+8(FP), SI
	MOVQ up+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y10
	VMOVUPS 32(SI), Y11
	VMOVAPS Y10, Y0
	VMOVAPS Y11, Y1
	GELUARG(Y0, Y2)
	GELUARG(Y1, Y6)
	EXP(Y0, Y2, Y3, Y4, Y5)
	EXP(Y1, Y6, Y7, Y8, Y9)
	VADDPS onef<>(SB), Y0, Y0
	VADDPS onef<>(SB), Y1, Y1
	VDIVPS Y0, Y10, Y0
	VDIVPS Y1, Y11, Y1
	VMULPS (DX), Y0, Y0
	VMULPS 32(DX), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// func siluMulAVX2(dst, gate, up *float32, n int)
TEXT ·siluMulAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ gate+8(FP), SI
	MOVQ up+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y10
	VMOVUPS 32(SI), Y11
	VXORPS signf<>(SB), Y10, Y0
	VXORPS signf<>(SB), Y11, Y1
	EXP(Y0, Y2, Y3, Y4, Y5)
	EXP(Y1, Y6, Y7, Y8, Y9)
	VADDPS onef<>(SB), Y0, Y0
	VADDPS onef<>(SB), Y1, Y1
	VDIVPS Y0, Y10, Y0
	VDIVPS Y1, Y11, Y1
	VMULPS (DX), Y0, Y0
	VMULPS 32(DX), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// func rotateAVX2(dst, x, cos, sin *float32, half int)
TEXT ·rotateAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ cos+16(FP), AX
	MOVQ sin+24(FP), BX
	MOVQ half+32(FP), CX
	LEAQ (SI)(CX*4), R8
	LEAQ (DI)(CX*4), R9

loop:
	VMOVUPS (SI), Y0
	VMOVUPS (R8), Y1
	VMOVUPS (AX), Y2
	VMOVUPS (BX), Y3
	VMULPS Y2, Y0, Y4
	VMULPS Y3, Y1, Y5
	VMULPS Y2, Y1, Y6
	VMULPS Y3, Y0, Y7
	VSUBPS Y5, Y4, Y4
	VADDPS Y7, Y6, Y6
	VMOVUPS Y4, (DI)
	VMOVUPS Y6, (R9)
	ADDQ $32, SI
	ADDQ $32, R8
	ADDQ $32, DI
	ADDQ $32, R9
	ADDQ $32, AX
	ADDQ $32, BX
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET

// func sumAVX2(x *float32, n int) float32
TEXT ·sumAVX2(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

loop:
	VADDPS (SI), Y0, Y0
	VADDPS 32(SI), Y1, Y1
	ADDQ $64, SI
	SUBQ $16, CX
	JNZ  loop
	TREE(VADDPS, Y0, Y1, X0, X1)
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func addAVX2(dst, x *float32, n int)
TEXT ·addAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VADDPS (SI), Y0, Y0
	VADDPS 32(SI), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop
	VZEROUPPER
	RET

// Y10 = y·Φ(y) of y in Y10, as in geluBiasGo; Y0 to Y7 are scratch.
#define NORMALGELU \
	VANDPS absmask<>(SB), Y10, Y1; \
	VMULPS normalp<>(SB), Y1, Y1; \
	VADDPS onef<>(SB), Y1, Y1; \
	VMOVUPS onef<>(SB), Y6; \
	VDIVPS Y1, Y6, Y1; \
	VMULPS normalb5<>(SB), Y1, Y7; \
	VADDPS normalb4<>(SB), Y7, Y7; \
	VMULPS Y1, Y7, Y7; \
	VADDPS normalb3<>(SB), Y7, Y7; \
	VMULPS Y1, Y7, Y7; \
	VADDPS normalb2<>(SB), Y7, Y7; \
	VMULPS Y1, Y7, Y7; \
	VADDPS normalb1<>(SB), Y7, Y7; \
	VMULPS Y1, Y7, Y7; \
	VMULPS Y10, Y10, Y0; \
	VMULPS minushalf<>(SB), Y0, Y0; \
	EXP(Y0, Y2, Y3, Y4, Y5); \
	VMULPS Y0, Y7, Y7; \
	VSUBPS Y7, Y6, Y6; \
	VBLENDVPS Y10, Y7, Y6, Y6; \
	VMULPS Y6, Y10, Y10

// func geluBiasAVX2(dst, x, bias *float32, n int)
TEXT ·geluBiasAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ bias+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y10
	VADDPS (DX), Y10, Y10
	NORMALGELU
	VMOVUPS Y10, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  loop
	VZEROUPPER
	RET
