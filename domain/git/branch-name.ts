/** The branch of a research. What Git takes in no name becomes a dash; an id needs none of it as a rule. */
export const branchOf = (researchId: string): string =>
  `perpetua/${researchId
    .split('/')
    .map((part) => part.replace(/\.{2,}/g, '-').replace(/^\.|\.$|\.lock$/g, '-'))
    .join('/')}`;
