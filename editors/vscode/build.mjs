// Bundles the extension and the script of its page into one file each, or the tests into one file each.
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';

const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  const entryPoints = readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
  await build({ ...common, entryPoints, format: 'esm', outdir: 'dist/test', outExtension: { '.js': '.mjs' }, sourcemap: 'inline' });
} else {
  const page = { bundle: true, platform: 'browser', target: 'es2022', logLevel: 'warning', format: 'iife', minify: true };
  await build({ ...page, entryPoints: ['src/webview/page.ts'], outfile: 'dist/chat.js' });
  await build({ ...common, entryPoints: ['src/extension.ts'], format: 'cjs', external: ['vscode'], outfile: 'dist/extension.js', minify: true });
}
