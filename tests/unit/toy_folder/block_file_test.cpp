#include "toy_folder/block_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "same_bits.h"
#include "unit/toy_folder/synthetic_run.h"

namespace nextstat {
namespace {

using testing::synthetic_block;
using testing::synthetic_identity;
using testing::synthetic_plan;

TEST(BlockFile, GivesBackWhatWasWritten) {
  const RunPlan plan = synthetic_plan();
  for (std::size_t number = 0; number < plan.blocks(); ++number) {
    const ToyBlock block = synthetic_block(plan, number);
    const Result<DecodedBlock> back = decode_block(plan, number, *encode_block(plan, block));
    ASSERT_EQ(back->condition, BlockCondition::Sound) << back->what;
    EXPECT_TRUE(test::same_bits(back->block.values, block.values));
    EXPECT_EQ(back->block.range.first, block.range.first);
  }
}

TEST(BlockFile, HasTheLayoutOfTheDocumentation) {
  const RunPlan plan = synthetic_plan();
  const std::string bytes = *encode_block(plan, synthetic_block(plan, 2));
  EXPECT_EQ(bytes.substr(0, 8), "NEXTTOYS");
  std::uint64_t numbers[6];
  std::memcpy(numbers, bytes.data() + 8, sizeof numbers);
  EXPECT_EQ(std::vector<std::uint64_t>(numbers, numbers + 6),
            (std::vector<std::uint64_t>{1, 2, 0, 20, 5, 3}));
  EXPECT_EQ(bytes.substr(56, 64), plan.checksum());
  EXPECT_EQ(bytes.size(), 120u + 5 * 3 * 8 + 64u);
}

TEST(BlockFile, EveryNaNIsWrittenTheSameWay) {
  const RunPlan plan = synthetic_plan();
  ToyBlock block = synthetic_block(plan, 0), other = block;
  block.values[0] = std::bit_cast<double>(0x7FF8000000000001ull);
  other.values[0] = std::bit_cast<double>(0xFFF8000000000000ull);
  EXPECT_EQ(*encode_block(plan, block), *encode_block(plan, other));
}

TEST(BlockFile, AChangedByteAnywhereIsDamage) {
  const RunPlan plan = synthetic_plan();
  const std::string sound = *encode_block(plan, synthetic_block(plan, 2));
  for (std::size_t position = 0; position < sound.size(); ++position) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string bytes = sound;
      bytes[position] = static_cast<char>(bytes[position] ^ flip);
      EXPECT_EQ(decode_block(plan, 2, bytes)->condition, BlockCondition::Damaged) << position << " " << flip;
    }
  }
}

TEST(BlockFile, AFileOfAnyOtherLengthIsDamage) {
  const RunPlan plan = synthetic_plan();
  const std::string sound = *encode_block(plan, synthetic_block(plan, 2));
  for (std::size_t length = 0; length < sound.size(); ++length) {
    EXPECT_EQ(decode_block(plan, 2, sound.substr(0, length))->condition, BlockCondition::Damaged) << length;
  }
  EXPECT_EQ(decode_block(plan, 2, sound + '\0')->condition, BlockCondition::Damaged);
  EXPECT_EQ(decode_block(plan, 2, sound + sound)->condition, BlockCondition::Damaged);
  EXPECT_EQ(decode_block(plan, 2, std::string(sound.size(), '\0'))->condition, BlockCondition::Damaged);
}

TEST(BlockFile, ABlockOfAnotherRunOrPlaceIsForeign) {
  const RunPlan plan = synthetic_plan();
  RunIdentity identity = synthetic_identity();
  identity.seed = 43;
  const RunPlan other = *RunPlan::make(identity);
  const Result<DecodedBlock> alien = decode_block(plan, 2, *encode_block(other, synthetic_block(other, 2)));
  EXPECT_EQ(alien->condition, BlockCondition::Foreign);
  EXPECT_NE(alien->what.find("another run"), std::string::npos);
  const Result<DecodedBlock> moved = decode_block(plan, 1, *encode_block(plan, synthetic_block(plan, 0)));
  EXPECT_EQ(moved->condition, BlockCondition::Foreign);
  EXPECT_EQ(moved->what, "contains block 0");
}

TEST(BlockFile, ABlockThatIsNotOfTheRunIsABug) {
  const RunPlan plan = synthetic_plan();
  ToyBlock block = synthetic_block(plan, 0);
  block.values.pop_back();
  EXPECT_THROW((void)encode_block(plan, block), std::logic_error);
}

}  // namespace
}  // namespace nextstat
