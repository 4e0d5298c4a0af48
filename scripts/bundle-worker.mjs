// The worker as one file: a start would load a thousand modules otherwise, which is most of what it costs.
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Packages that go into the file: ES modules, of many files, that read nothing beside themselves. All others stay outside. */
const INLINED = /^(zod|drizzle-orm)(\/|$)/;

/**
 * Bundles what was compiled from workers/main.ts for a file at the top of `dist`. Returns the code and its source map,
 * which leads to the sources. Throws where a module is not found or does not parse.
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
    banner: { js: `(${nameModules})(${TABLE});` },
    logLevel: 'silent',
    plugins: [packagesOutside, stayingPut(top)],
  });
  const [map, code] = ['.js.map', '.js'].map((ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text);
  // On one line, so that those of the map stay where they are.
  return { code: code.replace(TABLE, () => JSON.stringify(modulesOf(code))), map };
}

const TABLE = '"table of modules"';

/** Of each module its first line and its name, as the bundler tells them. */
const modulesOf = (code) =>
  code.split('\n').flatMap((text, index) => {
    const [, name] = /^\/\/ (?:dist\/)?(\S+\.m?js)$/.exec(text) ?? [];
    return name === undefined ? [] : [[index + 1, name]];
  });

/**
 * Part of the bundle: a place in a stack trace is told with the module in which it lies. Node would do that by the map,
 * but reading maps costs a start more than the bundle saves; `NODE_OPTIONS=--enable-source-maps` tells lines of sources.
 */
function nameModules(modules) {
  if (process.sourceMapsEnabled) return;
  const named = (place, line) => {
    const module = modules.findLast(([first]) => first <= Number(line));
    return module === undefined ? place : `${place}, ${module[1]}`;
  };
  Error.prepareStackTrace = (error, frames) =>
    [
      Error.prototype.toString.call(error),
      ...frames.map((frame) => `    at ${frame}`.replace(/\/worker-bundle\.js:(\d+):\d+/, named)),
    ].join('\n');
}

const packagesOutside = {
  name: 'packages-outside',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path }) => (INLINED.test(path) ? undefined : { path, external: true })),
};

/** Migrations, scripts and workflow bundles lie beside the files that read them, which go on naming their own place. */
const stayingPut = (top) => ({
  name: 'staying-put',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const place = relative(top, path);
      if (place.startsWith('..')) return undefined;
      const own = `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', own), loader: 'js' };
    }),
});
