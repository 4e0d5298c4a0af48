/** A share as people read it: "1.7 %". */
export const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
