// Student's distribution: how far an estimate may be off when its error was estimated from the same data.
#pragma once

namespace catena {

// The regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1.
double incomplete_beta(double a, double b, double x);

// The t that |t| stays below with this probability (0.95), with so many degrees of freedom; infinitely many:
// that of the normal distribution.
double student_quantile(double probability, double freedom);

// P(at most k of n), each with probability p: what a count of successes is judged by.
double binomial_below(int k, int n, double p);

}  // namespace catena
