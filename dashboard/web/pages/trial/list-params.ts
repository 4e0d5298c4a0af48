/** Parameters of a trial's own page; all others are those of the list that it was opened from. */
const OWN = /^(?:against|diff|curve\.\w+)$/;

/** The parameters of the list, for the way back and for the trials beside this one. */
export const listParams = (params: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...params].filter(([key]) => !OWN.test(key)));
