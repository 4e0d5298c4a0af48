import { say, sayJson, type Io } from '../io.ts';

/** `perpetua policy list`. */
export async function list(io: Io, { id, json }: { id: string | undefined; json?: boolean }): Promise<void> {
  const [{ withDb }, { pickPolicy }, { readUpdateRows }, { updateJson }] = await Promise.all([
    import('../context.ts'),
    import('./pick.ts'),
    import('../../db/reads/policy/read-update-rows.ts'),
    import('../render/policy/update-json.ts'),
  ]);
  const { research, learning, updates } = await withDb(io, async (db) => {
    const picked = await pickPolicy(db, id);
    return { ...picked, updates: await readUpdateRows(db, { researchId: picked.research.id }) };
  });
  if (json) return sayJson(io, { workflowId: research.id, ...learning, updates: updates.map(updateJson) });
  const { renderVersions } = await import('../render/policy/list.ts');
  for (const line of renderVersions({ workflowId: research.id, learning, updates })) say(io, line);
}
