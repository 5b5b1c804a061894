// Every tolerance of the conformance suite, with its reason.
#pragma once

namespace nextstat::conformance {

// --- f64 against the reference evaluator -------------------------------------------------------------------

// NLL, relative to max(1, |NLL|): some hundred terms of a few ulp each (the reference has 64 or 113 bits).
constexpr double kNll = 1e-12;

// Expected data, relative to the sum of the absolute terms of the bin: a product of up to a hundred factors.
constexpr double kExpected = 1e-12;

// Gradient and Hessian, relative to their largest element: the promise. Weights 1 - n/nu cancel near
// the best fit, so single elements may have fewer digits than the largest.
constexpr double kGradient = 1e-9;
constexpr double kHessian = 1e-8;

// Hessian element (i, j), relative to the geometric mean of the largest elements of rows i and j: holds small
// rows to account where one is huge (gammas at 1e-10 make 1e20).
constexpr double kHessianLocal = 1e-9;

// Uncertainties against the inverse of a Hessian of differences, relative: the promise. Differences of order
// 6 with steps of 1e-2 sigma leave less than 1e-9.
constexpr double kUncertainty = 1e-6;

// d nu_b / d theta times a vector, relative to the sum over theta of |d nu_b / d theta v|.
constexpr double kDirection = 1e-11;

// --- f32 against f64 ---------------------------------------------------------------------------------------

// NLL: 1e-3, plus an allowance for points far from the best fit: a parameter rounded to 2^-24 alone moves the
// NLL by up to 2^-24 sum_i |g_i| max(1, |theta_i|). The factor 4 is a choice. Without the allowance 1e-3 does
// not hold at random points of agc (0.011), agc-ml (0.044) and 3lrj-500-0 (4.5e3).
constexpr double kNllF32 = 1e-3;
constexpr double kNllF32Condition = 4 * 0x1p-24;

// Gradient of thu, each element relative to max(|g|, kGradientF32Scale). The scale is a choice: elements
// below 1 are held to an absolute error.
constexpr double kGradientF32Scale = 1.0;
constexpr double kGradientF32Median = 1e-6;  // the promise for f32 devices
constexpr double kGradientF32Worst = 1e-3;
constexpr double kGradientF32Tiny = 1e-4;  // a choice: signs of smaller elements are not compared

}  // namespace nextstat::conformance
