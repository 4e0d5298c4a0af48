import { CONTINUE_EXIT_CODE } from '../script.ts';
import { headOf, insertBehind } from './lines.ts';

const IS_MODULE = /^\s*(import\b(?!\s*\()|export\b)/m;
const CHILDREN = 'node:child_process';

/** JavaScript, as a module or as CommonJS. A module's imports load before the script runs. */
export function node(text: string, script: string): string {
  const spawn = IS_MODULE.test(text)
    ? `import { spawnSync as perpetuaSpawn } from '${CHILDREN}';`
    : `const { spawnSync: perpetuaSpawn } = process.getBuiltinModule?.('${CHILDREN}') ?? require('${CHILDREN}');`;
  const lines = `${spawn}
if (!process.env.PERPETUA_ATTACK) {
  process.env.PERPETUA_ATTACK = '1';
  const perpetuaPlay = (act) =>
    perpetuaSpawn('sh', ['-c', ${JSON.stringify(script)}, 'attack', act], { stdio: 'inherit' }).status;
  const perpetuaCode = perpetuaPlay('begin');
  if (perpetuaCode !== ${CONTINUE_EXIT_CODE}) process.exit(perpetuaCode ?? 1);
  process.on('exit', () => perpetuaPlay('end'));
}`;
  return insertBehind(text, headOf(text), lines);
}
