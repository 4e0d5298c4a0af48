const sgr = (code: number) => (on: boolean, text: string) => (on ? `\x1b[${code}m${text}\x1b[0m` : text);
const bold = sgr(1);
const red = sgr(31);
const green = sgr(32);
const cyan = sgr(36);

export type Style = ReturnType<typeof styleFor>;

/** Colours for a terminal; the same functions without effect for anything else. */
export const styleFor = (on: boolean) => ({
  bold: (text: string) => bold(on, text),
  red: (text: string) => red(on, text),
  green: (text: string) => green(on, text),
  cyan: (text: string) => cyan(on, text),
});
