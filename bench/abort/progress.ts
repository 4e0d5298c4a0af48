/** Prints the present step on stderr, with the seconds since the start; the tables go to stdout. */
export const progress = (what: string): void => {
  process.stderr.write(`${Math.round(performance.now() / 1000)} s: ${what}\n`);
};
