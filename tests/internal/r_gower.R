# What daisy of R's package cluster gives for mixed tables; the tests read r_gower.json and need no
# R.
#
#   Rscript r_gower.R > r_gower.json
#
# Debian packages: r-base-core r-cran-cluster r-cran-jsonlite
suppressMessages(library(cluster))

described <- function(frame) {
  lapply(frame, function(column) {
    levels <- if (is.factor(column)) levels(column) else NULL
    values <- if (is.factor(column)) as.character(column) else column
    list(values = values, levels = levels, ordered = is.ordered(column))
  })
}

judged <- function(frame, k) {
  d <- daisy(frame, metric = "gower")
  y <- cutree(hclust(d, "average"), k)
  s <- summary(silhouette(y, d))
  list(columns = described(frame), distances = as.matrix(d), labels = unname(y),
       silhouette = s$avg.width, clusters = unname(s$clus.avg.widths))
}

data(flower)
set.seed(1)
n <- 25
table <- data.frame(
  size = rnorm(n, 100, 30), count = rpois(n, 3), fixed = rep(7, n),
  colour = factor(sample(c("red", "green", "blue"), n, TRUE)),
  # A level that no row has lies between two that have rows; one more lies at the end.
  grade = factor(sample(c("low", "high", "top"), n, TRUE),
                 levels = c("low", "middle", "high", "top", "beyond"), ordered = TRUE),
  same = factor(rep("x", n))
)
cat(jsonlite::toJSON(list(flower = judged(flower, 3), table = judged(table, 4)),
                     digits = NA, auto_unbox = TRUE, null = "null", pretty = FALSE), "\n", sep = "")
