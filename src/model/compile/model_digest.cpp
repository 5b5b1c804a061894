#include "model/compile/model_digest.h"

#include <bit>
#include <cstring>

#include "base/hash.h"
#include "model/compile/compiled_model.h"

namespace nextstat {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they are in memory");

// Facts one after the other, none of which can be taken for part of its neighbor.
class Content {
 public:
  void count(std::uint64_t value) { add(value); }
  void number(double value) { add(value + 0.0); }  // -0 is 0
  void text(std::string_view value) {
    count(value.size());
    bytes_ += value;
  }
  Result<std::string> hash() const { return hash_bytes(bytes_); }

 private:
  template <class T>
  void add(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string bytes_;
};

// The width of a constraint, not its center: that is an auxiliary datum.
void add_parameters(Content& content, const Model& model) {
  content.count(model.n_parameters());
  for (const Parameter& parameter : model.parameters()) {
    content.text(parameter.name);
    for (const double value : {parameter.init, parameter.low, parameter.high}) content.number(value);
    content.count(parameter.fixed ? 1 : 0);
    content.text(to_string(parameter.constraint));
    content.number(parameter.width);
  }
}

void add_channels(Content& content, const Model& model) {
  content.count(model.channels().size());
  for (const ChannelInfo& channel : model.channels()) {
    content.text(channel.name);
    content.count(channel.bins);
    content.count(channel.samples.size());
    for (const std::string& sample : channel.samples) content.text(sample);
  }
}

void add_scales(Content& content, const CompiledModel& model, const CompiledModel::Sample& sample) {
  content.count(sample.factor_end - sample.factor_begin);
  for (std::size_t i = sample.factor_begin; i < sample.factor_end; ++i)
    content.count(model.factors[i].parameter);
  content.count(sample.norm_end - sample.norm_begin);
  for (std::size_t i = sample.norm_begin; i < sample.norm_end; ++i) {
    content.count(model.norms[i].parameter);
    content.number(model.norms[i].low);
    content.number(model.norms[i].high);
  }
  content.count(sample.linear_end - sample.linear_begin);
  for (std::size_t i = sample.linear_begin; i < sample.linear_end; ++i) {
    content.count(model.linears[i].parameter);
    content.number(model.linears[i].odd);
    content.number(model.linears[i].even);
  }
}

void add_bins(Content& content, const CompiledModel& model, const CompiledModel::Sample& sample) {
  content.count(sample.bins);
  for (std::size_t i = 0; i < sample.bins; ++i) content.number(model.nominal[sample.first_cell + i]);
  content.count(sample.shift_end - sample.shift_begin);
  for (std::size_t i = sample.shift_begin; i < sample.shift_end; ++i) {
    content.count(model.shifts[i].parameter);
    content.count(model.shifts[i].cell - sample.first_cell);
    content.number(model.shifts[i].odd);
    content.number(model.shifts[i].even);
  }
  content.count(sample.gamma_end - sample.gamma_begin);
  for (std::size_t i = sample.gamma_begin; i < sample.gamma_end; ++i) {
    content.count(model.gammas[i].parameter);
    content.count(model.gammas[i].cell - sample.first_cell);
  }
}

}  // namespace

Result<std::string> model_digest(const Model& model) {
  Content content;
  content.text("nextstat/model-content/1");
  add_parameters(content, model);
  add_channels(content, model);
  // A sample is hashed by itself, so that there is never a second copy of a large model.
  for (const CompiledModel::Sample& sample : compiled_model(model).samples) {
    Content own;
    own.count(sample.channel);
    add_scales(own, compiled_model(model), sample);
    add_bins(own, compiled_model(model), sample);
    const Result<std::string> hash = own.hash();
    if (!hash) return hash;
    content.text(*hash);
  }
  return content.hash();
}

}  // namespace nextstat
