import tseslint from 'typescript-eslint';
import { language } from './scripts/lint/language.mjs';
import { readNames } from './scripts/lint/read-names.mjs';

const names = readNames();

const clock = [
  { object: 'Math', property: 'random', message: 'pass the seed in' },
  { object: 'Date', property: 'now', message: 'pass the time in' },
];
const dates = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'pass the time in' },
  { selector: "CallExpression[callee.name='Date']", message: 'pass the time in' },
];
/** Options that forbid globals, by the reason; `globalThis.name` is forbidden, too. */
const globals = (reasons) => [
  'error',
  {
    globals: Object.entries(reasons).flatMap(([message, names]) => names.map((name) => ({ name, message }))),
    checkGlobalObject: true,
  },
];
const whenCollected = { 'when memory is collected differs between two runs': ['WeakRef', 'FinalizationRegistry'] };
const noLocale = ':matches([arguments.length=0], [arguments.0.name=/^undefined$/])';
const locale = { message: "name the locale: the machine's own differs" };
/** Functions that format or sort by the machine's own locale. */
const locales = [
  { selector: `CallExpression[callee.property.name=/^toLocale/]${noLocale}`, ...locale },
  { selector: "CallExpression[callee.property.name='localeCompare'][arguments.length=1]", ...locale },
  { selector: "CallExpression[callee.property.name='localeCompare'][arguments.1.name=/^undefined$/]", ...locale },
  { selector: `:matches(NewExpression, CallExpression)[callee.object.name='Intl']${noLocale}`, ...locale },
];
// Facts about a method are in the table of its axis. No other code compares with the method's name.

/** Names of values that hold a choice: the axes, a rule of early abort, a keep policy. */
const axes = anyOf([...names.axes, 'rule', 'policy']);
const message = "ask the axis' table for the fact that matters (domain/search), not for a method by its name";
const axisNames = ['left', 'right'].flatMap((side) => {
  const other = side === 'left' ? 'right' : 'left';
  const compared = `BinaryExpression[operator=/^[!=]=/][${other}.raw=/^['"]/]`;
  return [`[${side}.name=${axes}]`, `[${side}.property.name=${axes}]`].map((named) => ({
    selector: compared + named,
    message,
  }));
});
/** Names of the methods of all axes. `none` is left out, since other values have that name, too. */
const methods = anyOf(names.methods.filter((name) => name !== 'none'));
/** The keep policies. A comparison with one is forbidden for any variable. */
const policies = anyOf(names.policies);
const literals = ['left', 'right'].flatMap((side) => {
  const other = side === 'left' ? 'right' : 'left';
  return [
    {
      selector: `BinaryExpression[operator=/^[!=]=/][${other}.value=${methods}][${side}.property.name='name']`,
      message,
    },
    { selector: `BinaryExpression[operator=/^[!=]=/][${other}.value=${policies}]`, message },
  ];
});
const among = "CallExpression[callee.property.name='includes'][callee.object.type='ArrayExpression']";
const listed = [
  { selector: `${among}[arguments.0.name=${axes}]`, message },
  { selector: `${among}[arguments.0.property.name=${axes}]`, message },
  {
    selector:
      "CallExpression[callee.property.name='includes'] > MemberExpression > ArrayExpression > " +
      `Literal[value=${policies}]`,
    message,
  },
  {
    selector:
      "CallExpression[callee.property.name='includes'][arguments.0.property.name='name'] > MemberExpression > " +
      `ArrayExpression > Literal[value=${methods}]`,
    message,
  },
];
const byAxis = [
  ...axisNames,
  ...literals,
  ...listed,
  { selector: `SwitchStatement[discriminant.name=${axes}]`, message },
  { selector: `SwitchStatement[discriminant.property.name=${axes}]`, message },
];
const env = { object: 'process', property: 'env', message: 'the environment is read once, in config/' };

const TYPED = ['**/*.{ts,tsx}'];
/** Files of tasks, which a research edits or a machine runs. */
const TASK_FILES = ['tasks/*/**', '!tasks/{curves,folder,yaml}/**'];

/** A pattern that matches any of these names as a whole. */
function anyOf(list) {
  return new RegExp(`^(${list.join('|')})$`);
}

export default tseslint.config(
  {
    ignores: ['node_modules', 'dist', '.perpetua', 'experiments', '**/generated/**'],
  },
  // Plain English, in scripts and in the files of tasks, too.
  {
    files: ['**/*.{ts,tsx,js,mjs,cjs}'],
    plugins: { language },
    rules: {
      'language/first-words': 'error',
      'language/line-length': 'error',
      'language/compressed': 'error',
      'language/parameter-names': 'error',
    },
  },
  {
    files: TYPED,
    ignores: TASK_FILES,
    extends: [...tseslint.configs.recommendedTypeChecked],
    // Named projects, not a project service, which opens each file by itself and costs a fifth more CPU.
    languageOptions: { parserOptions: { project: ['tsconfig.json', 'test/dashboard/web/tsconfig.json'] } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/require-await': 'off',
      // Off: the compiler checks this (noUnusedLocals, noUnusedParameters).
      '@typescript-eslint/no-unused-vars': 'off',
      'max-lines': ['error', 300],
      'max-params': ['error', 3],
      eqeqeq: 'error',
    },
  },
  // Only config/ reads the environment.
  {
    files: ['**/*.{ts,tsx}'],
    ignores: ['config/**', 'test/**', 'bench/**'],
    rules: { 'no-restricted-properties': ['error', env] },
  },
  {
    files: ['**/*.{ts,tsx}'],
    ignores: ['domain/**', 'view/**', 'workflows/**', 'test/**', 'bench/**'],
    rules: { 'no-restricted-syntax': ['error', ...byAxis] },
  },
  // Databases come from db/connect.ts, whose transactions return every client to the pool.
  {
    files: ['**/*.{ts,tsx}'],
    ignores: ['db/{connect,transaction,migrate}.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'drizzle-orm/node-postgres',
          message: "use connect() of db/connect.ts: the driver's own transaction loses a client whose begin fails",
        },
      ],
    },
  },
  // Pure code uses nothing that differs between two runs.
  {
    files: ['{domain,view}/**/*.ts'],
    rules: {
      'no-restricted-globals': globals({
        ...whenCollected,
        'domain/ and view/ touch nothing: pass in what they need': [
          'process',
          'console',
          'setTimeout',
          'setInterval',
          'setImmediate',
          'queueMicrotask',
          'fetch',
          'crypto',
          'performance',
          'Buffer',
        ],
      }),
      'no-restricted-properties': ['error', env, ...clock],
      'no-restricted-syntax': ['error', ...dates, ...locales, ...byAxis],
    },
  },
  // The folders of the axes may compare with their own methods. This replaces the whole list of rules above.
  {
    files: ['domain/search/**/*.ts', 'domain/abort/**/*.ts', 'domain/gate/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...dates, ...locales],
    },
  },
  // Temporal's workflow sandbox replaces the clock and random numbers, but not the following.
  {
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-globals': globals({
        ...whenCollected,
        'a replay would find another world: ask an activity': ['process', 'fetch', 'crypto', 'performance'],
        'it never ends in a history: loop over sleep()': ['setInterval'],
      }),
      'no-restricted-syntax': ['error', ...locales, ...byAxis],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off', 'max-params': 'off' },
  },
);
