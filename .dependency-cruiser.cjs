/** Folders that each folder may import from: values from the first list, types from the second as well. */
const LAYERS = {
  domain: { values: [], types: [] },
  view: { values: ['domain'], types: [] },
  config: { values: ['domain'], types: ['view'] },
  tasks: { values: ['domain'], types: [] },
  db: { values: ['domain', 'view'], types: [] },
  infra: { values: ['domain'], types: [] },
  steering: { values: ['domain', 'infra'], types: [] },
  activities: { values: ['domain', 'view'], types: ['tasks', 'db', 'infra'] },
  workflows: { values: ['domain', 'view'], types: ['activities'] },
  workers: { values: ['domain', 'config', 'tasks', 'db', 'infra', 'activities'], types: [] },
  cli: { values: ['domain', 'view', 'config', 'tasks', 'db', 'infra', 'steering'], types: ['workflows'] },
  dashboard: { values: ['domain', 'view', 'config', 'db', 'infra', 'steering'], types: ['workflows'] },
};
const all = Object.keys(LAYERS).join('|');
const only = (names) => `^(${names.join('|')})/`;

const layerRules = Object.entries(LAYERS).flatMap(([name, { values, types }]) => [
  {
    name: `${name}-values`,
    severity: 'error',
    comment: `${name}/ may import values only from: ${[name, ...values].join(', ')}`,
    from: { path: only([name]) },
    to: { path: only([all]), pathNot: only([name, ...values]), dependencyTypesNot: ['type-only'] },
  },
  {
    name: `${name}-types`,
    severity: 'error',
    comment: `${name}/ may import types only from: ${[name, ...values, ...types].join(', ')}`,
    from: { path: only([name]) },
    to: { path: only([all]), pathNot: only([name, ...values, ...types]) },
  },
]);

/** The npm packages that a folder may use. A folder that is not listed may use any. */
const PACKAGES = {
  domain: ['zod', 'fastest-levenshtein'],
  view: ['zod'],
  workflows: ['@temporalio/workflow', '@temporalio/common'],
  activities: ['@temporalio/activity', '@temporalio/common'],
};
const packageRules = Object.entries(PACKAGES).map(([name, allowed]) => ({
  name: `${name}-packages`,
  severity: 'error',
  from: { path: only([name]) },
  to: { dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg'], pathNot: `node_modules/(${allowed.join('|')})/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-node-in-pure-code',
      severity: 'error',
      from: { path: only(['domain', 'view', 'workflows']) },
      to: { dependencyTypes: ['core'] },
    },
    ...layerRules,
    ...packageRules,
  ],
  options: {
    tsPreCompilationDeps: 'specify',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.perpetua)/|^tasks/(?!(curves|folder|yaml)/)[^/]+/' },
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
