/** Largest number of trials under way at once. Temporal limits the open child workflows of a workflow. */
export const LARGEST_WINDOW = 1000;
