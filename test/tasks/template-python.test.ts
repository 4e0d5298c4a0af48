import { expect, it } from 'vitest';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { turnKnob } from '../../domain/search/proposer/turn-knob.ts';
import { loadTask } from '../../tasks/load.ts';

const { task, mutablePaths, workspace, environmentFiles = [] } = await loadTask('tasks/template-python');

it('every knob of the task in Python can be turned', () => {
  const text = Buffer.from(workspace.find(({ path }) => path === 'train.py')?.content ?? []).toString();
  const turned = new Set<string>();
  for (let seed = 0; seed < 100; seed += 1) {
    const proposal = turnKnob({ knobs: task.knobs, files: { 'train.py': text }, seed });
    if (!proposal.ok) expect.unreachable(proposal.reason);
    expect(applyEdits({ 'train.py': text }, proposal.edits, mutablePaths)).toMatchObject({ ok: true });
    turned.add(proposal.hypothesis.split(' ')[0] ?? '');
  }
  expect([...turned].sort()).toEqual(task.knobs.map(({ name }) => name).sort());
});

it('its lock names one version of numpy alone, by the hashes of four Pythons on two kinds of machines', () => {
  const lock = Buffer.from(environmentFiles.find(({ path }) => path === 'requirements.lock')?.content ?? []).toString();
  expect(lock.match(/^\w\S*/gm)).toEqual(['numpy==2.2.6']);
  expect(new Set(lock.match(/--hash=sha256:[0-9a-f]{64}\b/g)).size).toBe(8);
});
