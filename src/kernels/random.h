// Random numbers by counter, Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011), in the kernel dialect
// (dialect.md): 128 random bits are a function of a key and a counter. There is no state, so toys may be
// drawn in any order, anywhere.
//
//   NsToy toy = ns_toy(seed, hypothesis, number);
//   NsWords words = ns_random_words(toy, place, draw);
//
//   key      the seed: low word, high word
//   counter  x: toy, bits 0 to 31
//            y: toy, bits 32 to 47; above them 16 bits of hypothesis
//            z: place
//            w: draw
//
// Draw 0 is shared: data 2 place and 2 place + 1 take half a block each. From draw 1 on the place is a datum,
// and the blocks are that datum's alone: the tries of a rejection method.
//
// Drawing needs f64 and a `real` that is a scalar: it decides by `if`.

typedef struct {
  u32 x, y, z, w;
} NsWords;

typedef struct {
  u32 key_low, key_high;
  u32 counter_x, counter_y;
} NsToy;

// Ten rounds: two multiplications to 64 bits, whose halves change places; the key grows by Weyl's sequence.
FN NsWords ns_philox(NsWords counter, u32 key_low, u32 key_high) {
  for (u32 round = 0; round < 10; ++round) {
    wide first = (wide)counter.x * 0xD2511F53u;
    wide second = (wide)counter.z * 0xCD9E8D57u;
    counter.x = (u32)(second >> 32) ^ counter.y ^ key_low;
    counter.y = (u32)second;
    counter.z = (u32)(first >> 32) ^ counter.w ^ key_high;
    counter.w = (u32)first;
    key_low += 0x9E3779B9u;
    key_high += 0xBB67AE85u;
  }
  return counter;
}

// hypothesis < 2^16, number < 2^48.
FN NsToy ns_toy(wide seed, u32 hypothesis, wide number) {
  NsToy toy;
  toy.key_low = (u32)seed;
  toy.key_high = (u32)(seed >> 32);
  toy.counter_x = (u32)number;
  toy.counter_y = (u32)(number >> 32) | hypothesis << 16;
  return toy;
}

FN NsWords ns_random_words(NsToy toy, u32 place, u32 draw) {
  NsWords counter;
  counter.x = toy.counter_x;
  counter.y = toy.counter_y;
  counter.z = place;
  counter.w = draw;
  return ns_philox(counter, toy.key_low, toy.key_high);
}

// 64 of the 128 bits.
FN wide ns_first_half(NsWords words) { return (wide)words.x | (wide)words.y << 32; }
FN wide ns_second_half(NsWords words) { return (wide)words.z | (wide)words.w << 32; }

// (k + 1/2) 2^-52, k the upper 52 bits: exact, strictly between 0 and 1, and symmetric about 1/2.
FN real ns_unit(wide random) { return ((real)(random >> 12) + R(0.5)) * R(2.220446049250313e-16); }
