"""A standing attack on clustervet: hostile input, kills and broken disks, seeded.

`make attack` runs it for an hour. Every run of the product must end with a right answer, or with
exit code 2 and one clear sentence; anything else is kept in `fuzz/failures/` and can be replayed.
"""
