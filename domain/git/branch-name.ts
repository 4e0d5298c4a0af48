/** The Git branch of a research. A dash replaces what Git forbids in a name: `..`, a dot at an end, and `.lock`. */
export const branchOf = (researchId: string): string =>
  `perpetua/${researchId
    .split('/')
    .map((part) => part.replace(/\.{2,}/g, '-').replace(/^\.|\.$|\.lock$/g, '-'))
    .join('/')}`;
