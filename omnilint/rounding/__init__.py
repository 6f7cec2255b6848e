"""Which rounding values carry: a small abstract interpreter over the `ast` index, for the OMN3xx rules."""
