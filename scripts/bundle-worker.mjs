// Bundles the worker into one file: to load a thousand modules would take most of the time of a worker's start.
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { REQUIRE } from './bundle-command.mjs';

/**
 * Packages that are not bundled: those with binary parts, and those of Temporal, which share state with them. All
 * other packages are bundled, so that an installed Perpetua needs few packages.
 */
const OUTSIDE = /^(@temporalio\/(activity|client|common|worker)|ssh2|pg-native)(\/|$)/;

/**
 * Bundles the compiled workers/main.js for a file at the top of `dist`. Returns the code and its source map, which
 * leads to the TypeScript sources. Throws if a module is missing or does not parse.
 */
export async function bundleWorker({ root, dist, name }) {
  const { build } = await import('esbuild');
  const top = realpathSync(dist);
  const { outputFiles } = await build({
    absWorkingDir: realpathSync(root),
    entryPoints: [join(top, 'workers', 'main.js')],
    outfile: join(top, name),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: `${REQUIRE} (${nameModules})(${TABLE});` },
    logLevel: 'silent',
    plugins: [packagesOutside, keepModuleUrls(top)],
  });
  const [map, code] = ['.js.map', '.js'].map((ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text);
  // The table stays on one line, so that the line numbers of the source map stay correct.
  return { code: code.replace(TABLE, () => JSON.stringify(modulesOf(code))), map };
}

const TABLE = '"table of modules"';

/** Lists each module's first line in the bundle and its name, from the bundler's comments. */
const modulesOf = (code) =>
  code.split('\n').flatMap((text, index) => {
    const [, name] = /^\/\/ (?:dist\/)?(\S+\.m?js)$/.exec(text) ?? [];
    return name === undefined ? [] : [[index + 1, name]];
  });

/**
 * Part of the bundle: adds the module's name to each location of a stack trace. Node could do so by the source map, but
 * reading maps takes more of a start than the bundle saves. `NODE_OPTIONS=--enable-source-maps` gives source lines.
 */
function nameModules(modules) {
  if (process.sourceMapsEnabled) return;
  const withModule = (location, line) => {
    const module = modules.findLast(([first]) => first <= Number(line));
    return module === undefined ? location : `${location}, ${module[1]}`;
  };
  Error.prepareStackTrace = (error, frames) =>
    [
      Error.prototype.toString.call(error),
      ...frames.map((frame) => `    at ${frame}`.replace(/\/worker-bundle\.js:(\d+):\d+/, withModule)),
    ].join('\n');
}

const packagesOutside = {
  name: 'packages-outside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) => (OUTSIDE.test(path) ? { path, external: true } : undefined)),
};

/** Keeps each module's URL in dist/: modules read migrations, scripts and workflow bundles beside that URL. */
const keepModuleUrls = (top) => ({
  name: 'keep-module-urls',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const relativePath = relative(top, path);
      if (relativePath.startsWith('..')) return undefined;
      const moduleUrl = `new URL(${JSON.stringify(`./${relativePath}`)}, import.meta.url).href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', moduleUrl), loader: 'js' };
    }),
});
