// The command line as a program and parts: a command loads its own parts in one go, not hundreds of modules.
import { readFileSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';

/** Packages that stay outside: parts of them are built for a machine. All others go into the parts that use them. */
const OUTSIDE = ['cpu-features', 'pg-native', 'ssh2'];
/** The folder of the parts. It is as deep in `dist` as the program's, so that places beside `dist/cli` have one name in all. */
export const PARTS = 'cli-parts';
/** Packages of CommonJS load what Node has by `require`. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`;

/** As Node 21 has it. Without one, pg loads all of Node's fetch to find out that it does not run at Cloudflare. */
const NAVIGATOR = '{ "userAgent": "Node.js" }';

/**
 * Bundles cli/main.ts, with a part for what each `import()` loads and for what they share. Returns the files, by their
 * path in `dist`, and esbuild's account of them. Throws where a module is not found or does not parse.
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
    plugins: [stayingPut(top), withoutCloud],
  });
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [relative(dist, path), text]));
  return { files, metafile };
}

/**
 * Replaces `import.meta.url` by the module's place in dist/: a module finds its migrations and scripts beside that place, and a
 * part lies in another folder.
 */
const stayingPut = (top) => ({
  name: 'staying-put',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const place = relative(top, path).replaceAll('\\', '/');
      if (place.startsWith('node_modules/')) return undefined;
      const own = `new URL(${JSON.stringify(`../${place.replace(/\.ts$/, '.js')}`)}, import.meta.url).href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', own), loader: 'ts' };
    }),
});

/**
 * Temporal's message types without those of the API that manages its cloud: a quarter of all, which no command uses. Each
 * command that asks Temporal builds all types before its first call.
 */
const withoutCloud = {
  name: 'without-cloud',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@temporalio[\\/]proto[\\/]protos[\\/]json-module\.js$/ }, ({ path }) => {
      const [, before, types, after] = /^(.*\.addJSON\()(\{.*\})(\);.*)$/s.exec(readFileSync(path, 'utf8')) ?? [];
      const all = types === undefined ? undefined : new Function(`return ${types}`)();
      if (all?.temporal?.nested?.api?.nested?.cloud === undefined)
        throw new Error(`Expected the types of temporal.api.cloud in ${path}, found none: mend withoutCloud here`);
      delete all.temporal.nested.api.nested.cloud;
      return { contents: `${before}JSON.parse(${JSON.stringify(JSON.stringify(all))})${after}`, loader: 'js' };
    }),
};
