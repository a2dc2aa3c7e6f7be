// Bundles the extension into one file, or its tests into one file each.
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';

const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  const entryPoints = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...common, entryPoints, format: 'esm', outdir: 'dist/test', outExtension: { '.js': '.mjs' }, sourcemap: 'inline' });
} else {
  await build({ ...common, entryPoints: ['src/extension.ts'], format: 'cjs', external: ['vscode'], outfile: 'dist/extension.js', minify: true });
}
