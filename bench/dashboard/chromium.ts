import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { packageRoot } from '../../config/paths.ts';

type Found = { path: string; env: Record<string, string> } | { path?: undefined; reason: string };
// The script is not compiled, so the build and the sources both import it from the package root.
const script = (await import(pathToFileURL(join(packageRoot(), 'scripts/test-tools/chromium.mjs')).href)) as {
  findChromium: () => Found;
};
const found = script.findChromium();

/** Reason why there is no Chromium for tests and benches; undefined if there is one. */
export const noChromium = found.path === undefined ? found.reason : undefined;

/** Chromium runs without its sandbox, which root cannot use, and resolves no host name. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Starts a Chromium that reaches this machine only; the caller closes it. Throws if there is no Chromium. */
export async function launchChromium(): Promise<Browser> {
  if (found.path === undefined) throw new Error(`Expected a Chromium: ${found.reason}`);
  const env = { ...definedOf(process.env), ...found.env };
  return chromium.launch({ executablePath: found.path, args: ARGUMENTS, env });
}

const definedOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
