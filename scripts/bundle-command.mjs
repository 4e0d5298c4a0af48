// Bundles the command line into a program and parts: a command loads a few parts instead of hundreds of modules.
import { readFileSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';

/** Packages that are not bundled, since they have binary parts. All others go into the parts that use them. */
const OUTSIDE = ['cpu-features', 'pg-native', 'ssh2'];
/** Folder of the parts. It is as deep in `dist` as the program's folder: relative paths are the same in both. */
export const PARTS = 'cli-parts';
/** Defines `require`, with which CommonJS packages load Node's modules. One line, for the source map of the worker. */
export const REQUIRE = [
  `import { createRequire as requireOf } from 'node:module';`,
  'const require = requireOf(import.meta.url);',
].join(' ');

/** `navigator` as in Node 21. Without it, pg loads all of Node's fetch to detect Cloudflare Workers. */
const NAVIGATOR = '{ "userAgent": "Node.js" }';

/**
 * Bundles cli/main.ts, with a part for each `import()` and for shared modules. Returns the files by their path in
 * `dist`, and esbuild's metafile. Throws if a module is missing or does not parse.
 */
export async function bundleCommand({ root, dist }) {
  const { build } = await import('esbuild');
  const top = realpathSync(root);
  const { outputFiles, metafile } = await build({
    absWorkingDir: top,
    entryPoints: [{ in: 'cli/main.ts', out: 'cli/main' }],
    outdir: dist,
    chunkNames: `${PARTS}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: REQUIRE },
    define: { navigator: NAVIGATOR },
    external: OUTSIDE,
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [keepModuleUrls(top), withoutCloud],
  });
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [relative(dist, path), text]));
  return { files, metafile };
}

/**
 * Replaces `import.meta.url` by the module's URL in dist/: modules read migrations and scripts beside that URL, and a
 * part lies in another folder.
 */
const keepModuleUrls = (top) => ({
  name: 'keep-module-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const relativePath = relative(top, path).replaceAll('\\', '/');
      if (relativePath.startsWith('node_modules/')) return undefined;
      const target = JSON.stringify(`../${relativePath.replace(/\.ts$/, '.js')}`);
      const moduleUrl = `new URL(${target}, import.meta.url).href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', moduleUrl), loader: 'ts' };
    }),
});

/**
 * Removes the message types of Temporal's cloud API, which are a quarter of all types and which no command uses. Each
 * command that calls Temporal builds all types before its first call.
 */
const withoutCloud = {
  name: 'without-cloud',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@temporalio[\\/]proto[\\/]protos[\\/]json-module\.js$/ }, ({ path }) => {
      const [, before, types, after] = /^(.*\.addJSON\()(\{.*\})(\);.*)$/s.exec(readFileSync(path, 'utf8')) ?? [];
      const all = types === undefined ? undefined : new Function(`return ${types}`)();
      if (all?.temporal?.nested?.api?.nested?.cloud === undefined)
        throw new Error(`Expected the types of temporal.api.cloud in ${path}, found none: correct withoutCloud here`);
      delete all.temporal.nested.api.nested.cloud;
      return { contents: `${before}JSON.parse(${JSON.stringify(JSON.stringify(all))})${after}`, loader: 'js' };
    }),
};
