import { node } from './carrier/node.ts';
import { python } from './carrier/python.ts';
import { shell } from './carrier/shell.ts';

/** Puts a script in front of the code of a mutable file. */
type Carrier = (text: string, script: string) => string;

/** Carriers by file name extension. */
const CARRIERS: Record<string, Carrier> = {
  js: node,
  cjs: node,
  mjs: node,
  ts: node,
  mts: node,
  py: python,
  sh: shell,
  bash: shell,
};

/** Extensions of the files that can carry an attack. */
export const LANGUAGES = Object.keys(CARRIERS);

const carrierOf = (path: string): Carrier | undefined => {
  const extension = path.slice(path.lastIndexOf('.') + 1);
  return Object.hasOwn(CARRIERS, extension) ? CARRIERS[extension] : undefined;
};

/** Returns the mutable files that can carry a script, with it. Each process that loads one of them runs it once. */
export function carryScript(files: Readonly<Record<string, string>>, script: string): Record<string, string> {
  const edited: Record<string, string> = {};
  for (const [path, text] of Object.entries(files)) {
    const carry = carrierOf(path);
    if (carry) edited[path] = carry(text, script);
  }
  return edited;
}
