import tseslint from 'typescript-eslint';

const clock = [
  { object: 'Math', property: 'random', message: 'pass the seed in' },
  { object: 'Date', property: 'now', message: 'pass the time in' },
];
const env = { object: 'process', property: 'env', message: 'the environment is read once, in config/' };

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.perpetua', '**/*.cjs', '**/*.js', '**/*.mjs', 'tasks/*/**'] },
  ...tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true } } },
  {
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', 300],
      'max-params': ['error', 3],
      eqeqeq: 'error',
    },
  },
  // One folder reads the environment.
  {
    files: ['**/*.ts'],
    ignores: ['config/**', 'test/**', 'bench/**'],
    rules: { 'no-restricted-properties': ['error', env] },
  },
  // Pure code: nothing that differs between two runs.
  {
    files: ['domain/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'console',
        'setTimeout',
        'setInterval',
        'fetch',
        'crypto',
        'performance',
        'Buffer',
      ],
      'no-restricted-properties': ['error', env, ...clock],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'pass the time in' },
      ],
    },
  },
  // Workflow code runs in a sandbox that replaces clock and randomness, but not everything.
  {
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'fetch', 'crypto', 'performance', 'setInterval', 'WeakRef'],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off', 'max-params': 'off' },
  },
);
