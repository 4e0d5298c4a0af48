import { node } from './carrier/node.ts';
import { python } from './carrier/python.ts';
import { shell } from './carrier/shell.ts';

/** A mutable file with a script in front of what it did, by the ending of its name. */
type Carrier = (text: string, script: string) => string;

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

/** Endings of the files that can carry an attack. */
export const LANGUAGES = Object.keys(CARRIERS);

const carrierOf = (path: string): Carrier | undefined => {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  return Object.hasOwn(CARRIERS, ending) ? CARRIERS[ending] : undefined;
};

/** Those of the mutable files that can carry an attack, with it; each process that loads one of them runs it once. */
export function carryScript(files: Readonly<Record<string, string>>, script: string): Record<string, string> {
  const edited: Record<string, string> = {};
  for (const [path, text] of Object.entries(files)) {
    const carry = carrierOf(path);
    if (carry) edited[path] = carry(text, script);
  }
  return edited;
}
