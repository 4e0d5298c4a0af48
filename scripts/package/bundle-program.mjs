// Bundles a compiled program into one file, so that an installed Perpetua needs none of its modules and packages.
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { REQUIRE } from '../bundle-command.mjs';

/** Returns the code of a compiled program, by its path in `dist`, with all that it imports. Throws esbuild's errors. */
export async function bundleProgram({ root, dist, path }) {
  const { build } = await import('esbuild');
  const entry = join(realpathSync(dist), path);
  const { outputFiles } = await build({
    absWorkingDir: realpathSync(root),
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: REQUIRE },
    external: ['pg-native'],
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [keepModuleUrls(entry)],
  });
  return outputFiles[0].text;
}

/** Keeps the URL of each module of dist/, beside which it reads files. */
const keepModuleUrls = (entry) => ({
  name: 'keep-module-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const moduleUrl = `new URL(${JSON.stringify(relative(dirname(entry), path))}, import.meta.url).href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', moduleUrl), loader: 'js' };
    }),
});
