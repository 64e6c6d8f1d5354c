"""The leg of words: postings, scores, and an index that follows the tables."""
