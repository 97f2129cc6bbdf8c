# What R's diptest gives; the tests read r_dip.json and need no R.
#
#   Rscript r_dip.R > r_dip.json
#
# Debian packages: r-base-core r-cran-diptest r-cran-jsonlite
suppressMessages(library(diptest))
set.seed(1)
samples <- list(
  uniform = runif(60), normal = rnorm(150), two = c(rnorm(40), rnorm(40, 5)),
  ties = sample(12, 80, replace = TRUE), iris = iris$Petal.Length, faithful = faithful$waiting,
  four = c(1, 2, 3, 4), equal = c(2, 2, 2, 2, 5)
)
cat(jsonlite::toJSON(lapply(samples, function(x) {
  list(values = x, dip = dip(x), p_value = dip.test(x)$p.value)
}), digits = NA, auto_unbox = TRUE))
