# Values of fclust 2.1.1.1 and of ConsRankClass, in r_values.json.
#
#   Rscript r_values.R FOLDER > r_values.json
#
# Neither is a Debian package. FOLDER holds two files with functions of the same names from the
# sources of fclust (src/partition_comp.cpp; src/func.cpp with euclidean_distance of
# src/distance.cpp), compiled here by Rcpp. fuzzyconcordance of ConsRankClass is R alone: its two
# formulas are repeated below with dist of stats for that of proxy.
folder <- commandArgs(TRUE)[1]
Rcpp::sourceCpp(file.path(folder, "partition_comp.cpp"))
Rcpp::sourceCpp(file.path(folder, "func.cpp"))

number <- function(x) sprintf("%.17g", x)
matrix_json <- function(m) {
  rows <- apply(m, 1, function(row) paste0("[", paste(number(row), collapse = ", "), "]"))
  paste0("[", paste(rows, collapse = ", "), "]")
}
entry <- function(...) {
  held <- list(...)
  paste0("  {", paste0("\"", names(held), "\": ", unlist(held), collapse = ", "), "}")
}
soft <- function(n, k) {
  m <- matrix(rexp(n * k), n)^2
  m / rowSums(m)
}

set.seed(1)
cases <- c()
for (case in 1:6) {
  n <- c(5, 8, 13, 21, 30, 12)[case]
  k <- c(2, 3, 2, 5, 4, 3)[case]
  hard <- c(1:k, sample(k, n - k, TRUE))
  truth <- diag(k)[hard, ]
  other <- if (case > 3) soft(n, k) else truth
  U <- soft(n, c(2, 3, 4, 3, 6, 3)[case])
  for (norm in c("minimum", "product")) {
    found <- partition_comp(other, U, norm)
    cases <- c(cases, entry(
      truth = matrix_json(other), pred = matrix_json(U), norm = paste0("\"", norm, "\""),
      fuzzy_rand = number(found$Rand.F), fuzzy_adjusted_rand = number(found$adjRand.F),
      fuzzy_jaccard = number(found$Jaccard.F)
    ))
  }
}

inner <- c()
for (case in 1:4) {
  n <- c(9, 15, 24, 40)[case]
  k <- c(2, 3, 3, 5)[case]
  X <- matrix(rnorm(n * 3), n) + 4 * rep(seq_len(k), length.out = n)
  U <- soft(n, k)
  m <- c(2, 2, 1.5, 3)[case]
  W <- U^m
  H <- (t(W) %*% X) / colSums(W)  # the centres that fuzzy c-means makes of U
  inner <- c(inner, entry(
    X = matrix_json(X), U = matrix_json(U), m = number(m),
    partition_coefficient = number(partCoef(U, n)),
    partition_entropy = number(partEntropy(U, exp(1), n)),
    modified_partition_coefficient = number(partCoef_mod(U, n, k)),
    fuzzy_xie_beni = number(xie_beni(X, U, H, m, n, k)),
    fuzzy_silhouette = number(silhouetteFuzzy(X, U, 1, 3, k, n)),
    fuzzy_silhouette_2 = number(silhouetteFuzzy(X, U, 2, 3, k, n))
  ))
}

# The example of ?fuzzyconcordance.
P <- rbind(
  c(0.5259, 0.1656, 0.3085), c(0.5623, 0.1036, 0.3341), c(0.2508, 0.1849, 0.5643),
  c(0.5654, 0.1934, 0.2413), c(0.4529, 0.1679, 0.3792), c(0.2390, 0.1758, 0.5852),
  c(0.3114, 0.1743, 0.5143), c(0.4188, 0.1392, 0.4420), c(0.5830, 0.1655, 0.2514),
  c(0.5860, 0.1171, 0.2969), c(0.2630, 0.1706, 0.5664), c(0.5882, 0.1032, 0.3086),
  c(0.5829, 0.1277, 0.2894), c(0.3942, 0.1046, 0.5012), c(0.5201, 0.1097, 0.3702),
  c(0.2568, 0.1823, 0.5609), c(0.3687, 0.1695, 0.4618), c(0.5663, 0.1317, 0.3020),
  c(0.5169, 0.1950, 0.2881), c(0.5838, 0.1034, 0.3128)
)
Q <- rbind(
  c(0.4494, 0.3755, 0.1751), c(0.5219, 0.3526, 0.1255), c(0.3432, 0.5062, 0.1506),
  c(0.3120, 0.5181, 0.1699), c(0.5362, 0.2747, 0.1891), c(0.4082, 0.3959, 0.1959),
  c(0.4670, 0.3782, 0.1547), c(0.4276, 0.4585, 0.1139), c(0.4013, 0.4837, 0.1149),
  c(0.3724, 0.5019, 0.1258), c(0.5055, 0.3104, 0.1841), c(0.4027, 0.4719, 0.1254),
  c(0.3565, 0.4620, 0.1814), c(0.6106, 0.2650, 0.1244), c(0.5595, 0.2476, 0.1929),
  c(0.4657, 0.3993, 0.1350), c(0.2964, 0.5839, 0.1197), c(0.5387, 0.3362, 0.1251),
  c(0.4043, 0.4341, 0.1616), c(0.5631, 0.2895, 0.1473)
)
equivalence <- function(x) as.matrix(1 - 0.5 * dist(x, method = "manhattan"))
concordance <- function(P, Q, orders) {
  n <- nrow(P)
  E <- equivalence(P)
  F <- equivalence(Q)
  ndc <- function(order) 1 - sum(abs(E - F[order, order])) / (n * (n - 1))
  drawn <- replicate(orders, ndc(sample(n)))
  c(ndc(1:n), (ndc(1:n) - mean(drawn)) / (1 - mean(drawn)), sd(drawn) / sqrt(orders) / (1 - mean(drawn)))
}
P <- P / rowSums(P)
Q <- Q / rowSums(Q)
agreed <- c()
for (pair in list(list(P, Q), list(P, diag(3)[max.col(Q), ]), list(P, P[, c(3, 1, 2)]^2 / rowSums(P^2)))) {
  found <- concordance(pair[[1]], pair[[2]], 20000)
  agreed <- c(agreed, entry(
    truth = matrix_json(pair[[1]]), pred = matrix_json(pair[[2]]), ndc = number(found[1]),
    adjusted_concordance = number(found[2]), standard_error = number(found[3])
  ))
}

cat("{\"campello\": [\n", paste(cases, collapse = ",\n"), "\n],\n\"inner\": [\n",
    paste(inner, collapse = ",\n"), "\n],\n\"concordance\": [\n", paste(agreed, collapse = ",\n"),
    "\n]}\n", sep = "")
