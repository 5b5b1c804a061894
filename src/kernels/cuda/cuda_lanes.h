// Values of several rows, one per lane, in CUDA C++: what `real` and its bits are in entry.cu. A comparison
// gives a Choice, lane by lane.
#pragma once

template <int N>
struct Choice {
  bool v[N];
};

template <int N>
struct Lanes {
  scalar v[N];
};

template <int N>
struct Bits {
  scalar_bits v[N];
};

#define NS_EACH_LANE _Pragma("unroll") for (int i = 0; i < N; ++i)
#define NS_LANES_OPERATOR(Type, symbol)                                                           \
  template <int N>                                                                                \
  static __device__ __forceinline__ Type<N> operator symbol(const Type<N>& a, const Type<N>& b) { \
    Type<N> c;                                                                                    \
    NS_EACH_LANE c.v[i] = a.v[i] symbol b.v[i];                                                   \
    return c;                                                                                     \
  }
#define NS_LANES_COMPARISON(Type, symbol)                                                           \
  template <int N>                                                                                  \
  static __device__ __forceinline__ Choice<N> operator symbol(const Type<N>& a, const Type<N>& b) { \
    Choice<N> c;                                                                                    \
    NS_EACH_LANE c.v[i] = a.v[i] symbol b.v[i];                                                     \
    return c;                                                                                       \
  }
NS_LANES_OPERATOR(Lanes, +)
NS_LANES_OPERATOR(Lanes, -)
NS_LANES_OPERATOR(Lanes, *)
NS_LANES_OPERATOR(Lanes, /)
NS_LANES_OPERATOR(Bits, +)
NS_LANES_OPERATOR(Bits, -)
NS_LANES_OPERATOR(Bits, &)
NS_LANES_OPERATOR(Bits, |)
NS_LANES_COMPARISON(Lanes, <)
NS_LANES_COMPARISON(Lanes, >)
NS_LANES_COMPARISON(Lanes, >=)
NS_LANES_COMPARISON(Lanes, ==)
NS_LANES_COMPARISON(Bits, ==)
#undef NS_LANES_OPERATOR
#undef NS_LANES_COMPARISON

template <int N>
static __device__ __forceinline__ Lanes<N> operator-(const Lanes<N>& a) {
  Lanes<N> c;
  NS_EACH_LANE c.v[i] = -a.v[i];
  return c;
}
template <int N>
static __device__ __forceinline__ Bits<N> operator>>(const Bits<N>& a, int by) {
  Bits<N> c;
  NS_EACH_LANE c.v[i] = a.v[i] >> by;
  return c;
}
template <int N>
static __device__ __forceinline__ Bits<N> operator<<(const Bits<N>& a, int by) {
  Bits<N> c;
  NS_EACH_LANE c.v[i] = a.v[i] << by;
  return c;
}
template <int N>
static __device__ __forceinline__ Lanes<N> select(const Choice<N>& choice, const Lanes<N>& yes,
                                                  const Lanes<N>& no) {
  Lanes<N> c;
  NS_EACH_LANE c.v[i] = choice.v[i] ? yes.v[i] : no.v[i];
  return c;
}
template <int N>
static __device__ __forceinline__ Bits<N> bits_of(const Lanes<N>& a) {
  Bits<N> c;
  NS_EACH_LANE c.v[i] = SCALAR_AS_BITS(a.v[i]);
  return c;
}
template <int N>
static __device__ __forceinline__ Lanes<N> from_bits(const Bits<N>& a) {
  Lanes<N> c;
  NS_EACH_LANE c.v[i] = SCALAR_FROM_BITS(a.v[i]);
  return c;
}
template <int N>
static __device__ __forceinline__ Lanes<N> splat(scalar x) {
  Lanes<N> c;
  NS_EACH_LANE c.v[i] = x;
  return c;
}
template <int N>
static __device__ __forceinline__ Bits<N> splat_bits(scalar_bits x) {
  Bits<N> c;
  NS_EACH_LANE c.v[i] = x;
  return c;
}
// to = to + x and to = to * x where a condition holds: instructions with a predicate, where a select would take two more.
#if defined(__CUDA_ARCH__) && REAL_BITS == 64
#define NS_IF(name, instruction, symbol)                                              \
  static __device__ __forceinline__ void name(bool condition, scalar& to, scalar x) { \
    asm("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p " instruction " %0, %0, %1; }"      \
        : "+d"(to)                                                                    \
        : "d"(x), "r"(static_cast<u32>(condition)));                                  \
  }
#else
#define NS_IF(name, instruction, symbol)                                              \
  static __device__ __forceinline__ void name(bool condition, scalar& to, scalar x) { \
    if (condition) to = to symbol x;                                                  \
  }
#endif
NS_IF(scalar_add_if, "add.rn.f64", +)
NS_IF(scalar_multiply_if, "mul.rn.f64", *)
#undef NS_IF
template <int N>
static __device__ __forceinline__ void add_if(bool condition, Lanes<N>& to, const Lanes<N>& x) {
  NS_EACH_LANE scalar_add_if(condition, to.v[i], x.v[i]);
}
template <int N>
static __device__ __forceinline__ void multiply_if(bool condition, Lanes<N>& to, const Lanes<N>& x) {
  NS_EACH_LANE scalar_multiply_if(condition, to.v[i], x.v[i]);
}
// Whether the value of any lane is not 0.
template <int N>
static __device__ __forceinline__ int any_lane(const Lanes<N>& a) {
  int any = 0;
  NS_EACH_LANE any |= a.v[i] != 0;
  return any;
}
#undef NS_EACH_LANE
