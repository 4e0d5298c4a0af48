/** Trials under way at once: with more children than that Temporal would stop the workflow. */
export const LARGEST_WINDOW = 1000;
