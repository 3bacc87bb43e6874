;;;; odd_widths
target triple = "spir64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a32 = load i32, ptr addrspace(1) %in, align 4
  %p1 = getelementptr inbounds i32, ptr addrspace(1) %in, i64 1
  %b32 = load i32, ptr addrspace(1) %p1, align 4
  %a24 = trunc i32 %a32 to i24
  %b24 = trunc i32 %b32 to i24
  %sum = add i24 %a24, %b24
  %sum32 = zext i24 %sum to i32
  store i32 %sum32, ptr addrspace(1) %out, align 4
  %signed = sext i24 %a24 to i32
  %o1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %signed, ptr addrspace(1) %o1, align 4
  %quotient = sdiv i24 %a24, %b24
  %quotient32 = sext i24 %quotient to i32
  %o2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %quotient32, ptr addrspace(1) %o2, align 4
  %less = icmp slt i24 %a24, %b24
  %below = icmp ult i24 %a24, %b24
  %both = add i1 %less, %below
  %both32 = zext i1 %both to i32
  %o3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  store i32 %both32, ptr addrspace(1) %o3, align 4
  %a33 = sext i32 %a32 to i33
  %square = mul i33 %a33, %a33
  %high = lshr i33 %square, 1
  %high32 = trunc i33 %high to i32
  %o4 = getelementptr i32, ptr addrspace(1) %out, i64 4
  store i32 %high32, ptr addrspace(1) %o4, align 4
  %shifted = ashr i24 %a24, 3
  %shifted32 = sext i24 %shifted to i32
  %o5 = getelementptr i32, ptr addrspace(1) %out, i64 5
  store i32 %shifted32, ptr addrspace(1) %o5, align 4
  %o6 = getelementptr i8, ptr addrspace(1) %out, i64 25
  store i24 %a24, ptr addrspace(1) %o6, align 1
  %again = load i24, ptr addrspace(1) %o6, align 1
  %again32 = zext i24 %again to i32
  %o7 = getelementptr i32, ptr addrspace(1) %out, i64 7
  store i32 %again32, ptr addrspace(1) %o7, align 4
  ret void
}
;;;; odd_bitcasts
target triple = "spir64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load i32, ptr addrspace(1) %in, align 4
  %a8 = lshr i32 %a, 24
  %top = trunc i32 %a8 to i8
  %bits = bitcast i8 %top to <8 x i1>
  %low = shufflevector <8 x i1> %bits, <8 x i1> poison, <8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  %turned = bitcast <8 x i1> %low to i8
  %turned32 = zext i8 %turned to i32
  store i32 %turned32, ptr addrspace(1) %out, align 4
  %a24 = trunc i32 %a to i24
  %three = bitcast i24 %a24 to <3 x i8>
  %middle = extractelement <3 x i8> %three, i32 1
  %middle32 = zext i8 %middle to i32
  %o1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %middle32, ptr addrspace(1) %o1, align 4
  %again = bitcast <3 x i8> %three to i24
  %again32 = zext i24 %again to i32
  %o2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %again32, ptr addrspace(1) %o2, align 4
  %a16 = trunc i32 %a to i16
  %sixteen = bitcast i16 %a16 to <16 x i1>
  %half = bitcast <16 x i1> %sixteen to half
  %half16 = bitcast half %half to i16
  %half32 = zext i16 %half16 to i32
  %o3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  store i32 %half32, ptr addrspace(1) %o3, align 4
  ret void
}
;;;; odd_vectors
target triple = "spir64-unknown-unknown"

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %five = load <5 x i32>, ptr addrspace(1) %in, align 4
  %sum = add <5 x i32> %five, <i32 1, i32 2, i32 3, i32 4, i32 5>
  store <5 x i32> %sum, ptr addrspace(1) %out, align 4
  %eight = load <8 x i32>, ptr addrspace(1) %in, align 4
  %bytes = bitcast <8 x i32> %eight to <32 x i8>
  %some = shufflevector <32 x i8> %bytes, <32 x i8> poison, <6 x i32> <i32 0, i32 1, i32 4, i32 5, i32 6, i32 7>
  %o5 = getelementptr i32, ptr addrspace(1) %out, i64 5
  store <6 x i8> %some, ptr addrspace(1) %o5, align 4
  %flags = load <8 x i1>, ptr addrspace(1) %in, align 1
  %not = xor <8 x i1> %flags, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>
  %o7 = getelementptr i32, ptr addrspace(1) %out, i64 7
  store <8 x i1> %not, ptr addrspace(1) %o7, align 1
  ret void
}
;;;; bfloats
target triple = "spir64-unknown-unknown"

declare bfloat @llvm.fma.bf16(bfloat, bfloat, bfloat)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %a = load float, ptr addrspace(1) %in, align 4
  %p1 = getelementptr i32, ptr addrspace(1) %in, i64 1
  %pair = load <2 x bfloat>, ptr addrspace(1) %p1, align 4
  %narrow = fptrunc float %a to bfloat
  %o0 = getelementptr bfloat, ptr addrspace(1) %out, i64 0
  store bfloat %narrow, ptr addrspace(1) %o0, align 2
  %low = extractelement <2 x bfloat> %pair, i32 0
  %high = extractelement <2 x bfloat> %pair, i32 1
  %sum = fadd bfloat %low, %high
  %o1 = getelementptr bfloat, ptr addrspace(1) %out, i64 1
  store bfloat %sum, ptr addrspace(1) %o1, align 2
  %wide = fpext <2 x bfloat> %pair to <2 x float>
  %o2 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store <2 x float> %wide, ptr addrspace(1) %o2, align 4
  %minus = fneg bfloat %low
  %less = fcmp olt bfloat %minus, 0xR0000
  %chosen = select i1 %less, bfloat %minus, bfloat 2.000000e+00
  %o6 = getelementptr bfloat, ptr addrspace(1) %out, i64 6
  store bfloat %chosen, ptr addrspace(1) %o6, align 2
  %fma = call bfloat @llvm.fma.bf16(bfloat %low, bfloat %high, bfloat 0xR3F80)
  %o7 = getelementptr bfloat, ptr addrspace(1) %out, i64 7
  store bfloat %fma, ptr addrspace(1) %o7, align 2
  %three = sitofp i32 3 to bfloat
  %whole = fptosi bfloat %high to i32
  %o8 = getelementptr bfloat, ptr addrspace(1) %out, i64 8
  store bfloat %three, ptr addrspace(1) %o8, align 2
  %o10 = getelementptr i32, ptr addrspace(1) %out, i64 5
  store i32 %whole, ptr addrspace(1) %o10, align 4
  ret void
}
;;;; name_of_a_phi
target triple = "spir64-unknown-unknown"

declare spir_func i32 @_Z11convert_intj(i32)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  br label %loop

end:
  %next = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %same, ptr addrspace(1) %out, align 4
  store i32 %again, ptr addrspace(1) %next, align 4
  ret void

loop:
  %i = phi i32 [ 0, %0 ], [ %more, %loop ]
  %same = call spir_func i32 @_Z11convert_intj(i32 %i)
  %again = freeze i32 %i
  %more = add i32 %i, 1
  %less = icmp ult i32 %i, 5
  br i1 %less, label %loop, label %end
}
;;;; intrinsics
target triple = "spir64"

declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.bswap.i32(i32)
declare { i32, i1 } @llvm.umul.with.overflow.i32(i32, i32)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %mine = alloca [4 x i32], align 4
  %a = load i32, ptr addrspace(1) %in, align 4
  %p1 = getelementptr inbounds i32, ptr addrspace(1) %in, i64 1
  %b = load i32, ptr addrspace(1) %p1, align 4
  %turned = call i32 @llvm.fshl.i32(i32 %a, i32 %a, i32 36)
  store i32 %turned, ptr addrspace(1) %out, align 4
  %funnel = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 8)
  %o1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %funnel, ptr addrspace(1) %o1, align 4
  %swapped = call i32 @llvm.bswap.i32(i32 %a)
  %o2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %swapped, ptr addrspace(1) %o2, align 4
  %product = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %a, i32 %b)
  %wrapped = extractvalue { i32, i1 } %product, 1
  %sum = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 2147483647, i32 1)
  %wrapped2 = extractvalue { i32, i1 } %sum, 1
  %one = zext i1 %wrapped to i32
  %two = select i1 %wrapped2, i32 2, i32 0
  %flags = or i32 %one, %two
  %o3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  store i32 %flags, ptr addrspace(1) %o3, align 4
  call void @llvm.memset.p0.i64(ptr align 4 %mine, i8 3, i64 16, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr align 4 %mine, ptr addrspace(1) align 4 %in, i64 4, i1 false)
  %four = load <4 x i32>, ptr %mine, align 4
  %total = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %four)
  %o4 = getelementptr i32, ptr addrspace(1) %out, i64 4
  store i32 %total, ptr addrspace(1) %o4, align 4
  ret void
}
;;;; old_pointers
target triple = "spir64"

%struct.pair = type { i32, %struct.node* }
%struct.node = type { [2 x float], %struct.pair* }

@table = internal addrspace(2) constant [3 x i32] [i32 5, i32 7, i32 11], align 4

define spir_kernel void @k(i32 addrspace(1)* noalias nocapture %in, float addrspace(1)* %out) {
  %own = alloca %struct.node, align 8
  %first = getelementptr inbounds %struct.node, %struct.node* %own, i64 0, i32 0, i64 1
  %n = load i32, i32 addrspace(1)* %in, align 4
  %at = getelementptr inbounds [3 x i32], [3 x i32] addrspace(2)* @table, i64 0, i32 %n
  %t = load i32, i32 addrspace(2)* %at, align 4
  %f = uitofp i32 %t to float
  store float %f, float* %first, align 4
  %generic = addrspacecast float* %first to float addrspace(4)*
  %v = load float, float addrspace(4)* %generic, align 4
  store float %v, float addrspace(1)* %out, align 4
  ret void
}
;;;; opaque_pointers
target triple = "spir64"

%struct.pair = type { i32, ptr }
%struct.node = type { [2 x float], ptr }

@table = internal addrspace(2) constant [3 x i32] [i32 5, i32 7, i32 11], align 4

define spir_kernel void @k(ptr addrspace(1) noalias captures(none) %in, ptr addrspace(1) initializes((0, 4)) %out) {
  %own = alloca %struct.node, align 8
  %first = getelementptr inbounds nuw %struct.node, ptr %own, i64 0, i32 0, i64 1
  %n = load i32, ptr addrspace(1) %in, align 4
    #dbg_value(i32 %n, !0, !DIExpression(), !1)
  %at = getelementptr inbounds nusw [3 x i32], ptr addrspace(2) @table, i64 0, i32 %n
  %t = load i32, ptr addrspace(2) %at, align 4
  %f = uitofp nneg i32 %t to float
  store float %f, ptr %first, align 4
  %generic = addrspacecast ptr %first to ptr addrspace(4)
  %v = load float, ptr addrspace(4) %generic, align 4
  store float %v, ptr addrspace(1) %out, align 4
  ret void
}

!0 = !{}
!1 = !{}
;;;; flow
target triple = "spir64"

define spir_kernel void @k(ptr addrspace(1) %0, ptr addrspace(1) %1) {
  %3 = load i32, ptr addrspace(1) %0, align 4
  switch i32 %3, label %6 [
    i32 1, label %4
    i32 2, label %4
    i32 -3, label %5
  ]

4:                                                ; preds = %2, %2
  %x = phi i32 [ 10, %2 ], [ 10, %2 ]
  br label %6

5:                                                ; preds = %2
  br label %loop

loop:
  %i = phi i32 [ 0, %5 ], [ %next, %loop ]
  %s = phi i32 [ 100, %5 ], [ %t, %loop ]
  %t = add nsw i32 %s, %i
  %next = add nuw nsw i32 %i, 1
  %more = icmp samesign ult i32 %next, 5
  br i1 %more, label %loop, label %6

6:
  %r = phi i32 [ 7, %2 ], [ %x, %4 ], [ %t, %loop ]
  %frozen = freeze i32 %r
  store i32 %frozen, ptr addrspace(1) %1, align 4
  ret void
}
;;;; constants
target triple = "spir64"

%struct.s = type <{ i8, ptr addrspace(1), float }>

@global = addrspace(1) global %struct.s <{ i8 3, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @later, i64 4), float 0x3FF8000000000000 }>, align 1
@later = addrspace(1) global [2 x i32] [i32 1, i32 258], align 4
@other = alias [2 x i32], ptr addrspace(1) @later
@text = private addrspace(2) constant [4 x i8] c"\01a\\\00"

define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %inner = load ptr addrspace(1), ptr addrspace(1) getelementptr inbounds (%struct.s, ptr addrspace(1) @global, i64 0, i32 1), align 1
  %word = load i32, ptr addrspace(1) %inner, align 4
  store i32 %word, ptr addrspace(1) %out, align 4
  %f = load float, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @global, i64 9), align 1
  %o1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store float %f, ptr addrspace(1) %o1, align 4
  %one = load i32, ptr addrspace(1) @other, align 4
  %o2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %one, ptr addrspace(1) %o2, align 4
  %chars = load i32, ptr addrspace(2) @text, align 4
  %o3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  store i32 %chars, ptr addrspace(1) %o3, align 4
  %v = shufflevector <4 x i32> <i32 1, i32 2, i32 3, i32 4>, <4 x i32> splat (i32 9), <4 x i32> <i32 3, i32 5, i32 poison, i32 0>
  %three = extractelement <4 x i32> %v, i64 0
  %nine = extractelement <4 x i32> %v, i64 1
  %both = mul i32 %three, %nine
  %o4 = getelementptr i32, ptr addrspace(1) %out, i64 4
  store i32 %both, ptr addrspace(1) %o4, align 4
  ret void
}
;;;; some_unsupported
target triple = "spir64"

define spir_kernel void @good(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  call void asm sideeffect "", "~{memory}"()
  store i32 42, ptr addrspace(1) %out, align 4
  ret void
}

define spir_kernel void @bad(ptr addrspace(1) %in, ptr addrspace(1) %out) !dbg !2 {
  call void asm sideeffect "bar.sync 0;", "~{memory}"(), !dbg !4
  ret void
}

!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !1)
!1 = !DIFile(filename: "kernel.cl", directory: ".")
!2 = distinct !DISubprogram(name: "bad", scope: !1, file: !1, line: 3, unit: !0)
!3 = !DILexicalBlock(scope: !2, file: !1, line: 3)
!4 = !DILocation(line: 4, column: 2, scope: !3)
;;;; nvptx
target triple = "nvptx64-nvidia-cuda"

@tile = internal addrspace(3) global [64 x i32] undef, align 4

define dso_local void @_Z1kPiS_(ptr noundef %in, ptr noundef %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr inbounds i32, ptr %in, i64 %wide
  %v = load i32, ptr %from, align 4
  %mine = getelementptr inbounds [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %wide
  store i32 %v, ptr %mine, align 4
  call void @llvm.nvvm.barrier0()
  %other = sub i64 63, %wide
  %theirs = getelementptr inbounds [64 x i32], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %other
  %w = load i32, ptr %theirs, align 4
  %to = getelementptr inbounds i32, ptr %out, i64 %wide
  store i32 %w, ptr %to, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()

!nvvm.annotations = !{!0}
!0 = !{ptr @_Z1kPiS_, !"kernel", i32 1}
;;;; amdgcn
target triple = "amdgcn-amd-amdhsa"

@tile = internal addrspace(3) global [64 x i32] poison, align 4

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %in, ptr addrspace(1) noundef %out) {
  %own = alloca i32, align 4, addrspace(5)
  %tid = tail call i32 @llvm.amdgcn.workitem.id.x()
  %wide = zext i32 %tid to i64
  %from = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %wide
  %v = load i32, ptr addrspace(1) %from, align 4
  store i32 %v, ptr addrspace(5) %own, align 4
  %mine = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %tid
  %again = load i32, ptr addrspace(5) %own, align 4
  store i32 %again, ptr addrspace(3) %mine, align 4
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = sub i32 63, %tid
  %theirs = getelementptr inbounds [64 x i32], ptr addrspace(3) @tile, i32 0, i32 %other
  %w = load i32, ptr addrspace(3) %theirs, align 4
  %to = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide
  store i32 %w, ptr addrspace(1) %to, align 4
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
;;;; amdgcn_struct
target triple = "amdgcn-amd-amdhsa"

%struct.pair = type { i32, i32 }

define protected amdgpu_kernel void @k(ptr addrspace(1) noundef %out, ptr addrspace(4) noundef byref(%struct.pair) align 4 %0) {
  %at = getelementptr inbounds %struct.pair, ptr addrspace(4) %0, i64 0, i32 0
  %v = load i32, ptr addrspace(4) %at, align 4
  store i32 %v, ptr addrspace(1) %out, align 4
  ret void
}
;;;; inline_ptx
source_filename = "no target is named"

@shared = internal addrspace(3) global [64 x i32] undef, align 16

define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) #1 {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = sext i32 %tid to i64
  %limit = getelementptr i32, ptr addrspace(1) %in, i64 200
  %n = load i32, ptr addrspace(1) %limit, align 4
  %c = icmp ult i32 %tid, %n
  %from = getelementptr [2 x i32], ptr addrspace(1) %in, i64 %wide
  %pair = call { i32, i32 } asm sideeffect "mov.u32 $0, 0x7;\0A\09mov.u32 $1, 8;\0A\09@$3 ld.global.L1::evict_last.v2.b32 { $0, $1 }, [ $2 + 8 ];", "=r,=r,l,b"(ptr addrspace(1) %from, i1 %c)
  %low = extractvalue { i32, i32 } %pair, 0
  %high = extractvalue { i32, i32 } %pair, 1
  %here = getelementptr [64 x i32], ptr addrspace(3) @shared, i32 0, i32 %tid
  %mark = add i32 %tid, 100
  call void asm sideeffect "st.shared.b32 [ $0 + 0 ], $1;", "r,r"(ptr addrspace(3) %here, i32 %mark)
  call void asm sideeffect "@!$2 st.shared.b32 [ $0 + 0 ], $1;", "r,r,b"(ptr addrspace(3) %here, <1 x i32> <i32 9>, i1 %c)
  call void asm sideeffect "bar.sync 0;", "~{memory}"()
  %other = xor i32 %tid, 1
  %there = getelementptr [64 x i32], ptr addrspace(3) @shared, i32 0, i32 %other
  %word = call i32 asm sideeffect "ld.volatile.shared.b32 $0, [ $1 ];", "=r,r"(ptr addrspace(3) %there)
  %group = call i32 asm "mov.u32 $0, %ctaid.x;", "=r"()
  %small = trunc i32 %low to i16
  %float = call float asm "cvt.f32.bf16 $0, $1;", "=r,h"(i16 %small)
  %back = call bfloat asm "cvt.rn.bf16.f32 $0, $1;", "=h,r"(float %float)
  %bits = bitcast bfloat %back to i16
  %bits32 = zext i16 %bits to i32
  %sum = add i32 %bits32, %group
  %to = getelementptr [4 x i32], ptr addrspace(1) %out, i64 %wide
  call void asm sideeffect "st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l"(i32 %low, i32 %high, i32 %word, i32 %sum, ptr addrspace(1) %to)
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

attributes #0 = { "nvvm.reqntid"="7" }
attributes #1 = { nounwind "nvvm.reqntid"="32,2" }
;;;; cuda_shuffles
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b_at = getelementptr i32, ptr addrspace(1) %in, i64 200
  %b = load i32, ptr addrspace(1) %b_at, align 4
  %c_at = getelementptr i32, ptr addrspace(1) %in, i64 201
  %c = load i32, ptr addrspace(1) %c_at, align 4
  %c_up = and i32 %c, -256
  %v = add i32 %tid, 1000
  %up = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 -1, i32 %v, i32 %b, i32 %c_up)
  %down = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %v, i32 %b, i32 %c)
  %bfly = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 %b, i32 %c)
  %f = bitcast i32 %v to float
  %idx_f = call float @llvm.nvvm.shfl.sync.idx.f32(i32 -1, float %f, i32 %b, i32 %c)
  %idx = bitcast float %idx_f to i32
  %wide = sext i32 %tid to i64
  %to = getelementptr [4 x i32], ptr addrspace(1) %out, i64 %wide
  store i32 %up, ptr addrspace(1) %to, align 4
  %to1 = getelementptr i32, ptr addrspace(1) %to, i64 1
  store i32 %down, ptr addrspace(1) %to1, align 4
  %to2 = getelementptr i32, ptr addrspace(1) %to, i64 2
  store i32 %bfly, ptr addrspace(1) %to2, align 4
  %to3 = getelementptr i32, ptr addrspace(1) %to, i64 3
  store i32 %idx, ptr addrspace(1) %to3, align 4
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.idx.f32(i32, float, i32, i32)
