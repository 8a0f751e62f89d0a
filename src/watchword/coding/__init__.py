"""From values to integer codes: columns of raw values, cells of events, and the codebook."""
