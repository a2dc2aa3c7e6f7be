/** The one connection to the server: found, started, watched, and started again where it ends. */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  ProgressType,
  TransportKind,
  type ErrorHandler,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';
import { findServer, type Found } from './find.ts';
import { readHealth, type Health } from './health.ts';
import { explicitSettings } from './settings.ts';
import { silenceOf } from './silence.ts';

const STATUS = 'codeassistd/status';
const EXPLAIN = 'codeassistd/explain';
const CONFIGURATION = 'workspace/didChangeConfiguration';
/** After this time without a request, in milliseconds, why nothing was shown is worth a question to the server. */
const REST_MS = 400;
/** A server that ends more often than this within `CRASH_MS` is not started again by itself. */
const MAX_CRASHES = 5;
const CRASH_MS = 180_000;

/** What a server says of itself beyond the protocol. */
interface Announced {
  readonly codeassistd?: { readonly chat?: boolean };
}

/** Told whenever something about the server has changed. */
export type OnChange = () => void;

export class Server implements vscode.Disposable {
  /** Why no server runs; empty while one does. */
  missing = '';
  told: Health | undefined;
  /** Requests that wait for their answer. */
  nWorking = 0;
  silence = '';
  hasSuggested = false;
  private client: LanguageClient | undefined;
  private crashes: number[] = [];
  private rest: NodeJS.Timeout | undefined;
  /** Requests so far: why an older one gave nothing says nothing about the newest. */
  private nAsked = 0;
  /** Starts and stops come one after the other, however quickly they are asked for. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly keys: readonly string[],
    private readonly output: vscode.LogOutputChannel,
    private readonly changed: OnChange,
  ) {}

  /** Look for the program and start it, in place of one that runs. */
  restart(): Promise<void> {
    this.crashes = [];
    return this.inTurn(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** The program that would be started. */
  async find(): Promise<Found> {
    return findServer(
      {
        setting: vscode.workspace.getConfiguration('codeassistd').get<string>('server.path', ''),
        python: await activePython(),
        searchPath: process.env['PATH'] ?? '',
        home: homedir(),
        platform: process.platform,
        untrusted: vscode.workspace.isTrusted
          ? []
          : (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
      },
      isProgram,
    );
  }

  /** Ask the server to run one of its commands. */
  async execute(command: string, args: unknown[]): Promise<unknown> {
    return this.request('workspace/executeCommand', { command, arguments: args });
  }

  /** Whether the server that runs holds conversations. */
  get hasChat(): boolean {
    const experimental: unknown = this.client?.initializeResult?.capabilities.experimental;
    return (experimental as Announced | undefined)?.codeassistd?.chat === true;
  }

  /** Ask the server in its own words. */
  async request(method: string, params: object, cancelled?: vscode.CancellationToken): Promise<unknown> {
    if (this.client === undefined) {
      throw new Error(this.missing || 'the server is starting');
    }
    return cancelled === undefined
      ? this.client.sendRequest(method, params)
      : this.client.sendRequest(method, params, cancelled);
  }

  /** Hear what the server tells under a token, until that is disposed of. */
  onProgress(token: string, told: (value: unknown) => void): vscode.Disposable {
    return this.client?.onProgress(new ProgressType<unknown>(), token, told) ?? new vscode.Disposable(() => undefined);
  }

  dispose(): Promise<void> {
    clearTimeout(this.rest);
    return this.inTurn(() => this.end());
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work, work);
    return this.turn;
  }

  private async begin(): Promise<void> {
    this.told = undefined;
    this.silence = '';
    const found = await this.find();
    this.missing = 'missing' in found ? found.missing : '';
    this.changed();
    if ('missing' in found) {
      this.output.warn(found.missing);
      return;
    }
    this.output.info(`starting ${found.program} (${found.from})`);
    const client = new LanguageClient('codeassistd', 'codeassistd', this.command(found.program), this.options());
    client.onNotification(STATUS, (params: unknown) => {
      this.told = readHealth(params) ?? this.told;
      this.changed();
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.fail(`the server did not start: ${messageOf(error)}`);
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.nWorking = 0;
    try {
      await client?.dispose();
    } catch (error) {
      // It had ended already, which is what was wanted.
      this.output.debug(`while stopping: ${messageOf(error)}`);
    }
  }

  private command(program: string): { command: string; args: string[]; transport: TransportKind; options: object } {
    // Not the workspace: nothing in it may be taken for a part of the program.
    return { command: program, args: ['lsp'], transport: TransportKind.stdio, options: { cwd: homedir() } };
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: 'file' },
        { scheme: 'untitled' },
        { scheme: 'vscode-notebook-cell' },
      ],
      outputChannel: this.output,
      synchronize: { configurationSection: 'codeassistd' },
      initializationOptions: this.menuOption(),
      middleware: this.middleware(),
      errorHandler: this.errorHandler(),
      initializationFailedHandler: () => false,
    };
  }

  private middleware(): Middleware {
    return {
      workspace: {
        configuration: (params) => params.items.map((item) => (item.section === 'codeassistd' ? this.settings() : null)),
        // Without the editor's defaults, which `next` would push too; and not asked for by the server, since a request
        // that follows a change must find it there.
        didChangeConfiguration: async () => {
          await this.client?.sendNotification(CONFIGURATION, { settings: { codeassistd: this.settings() } });
        },
      },
      provideInlineCompletionItems: async (document, position, context, token, next) => {
        this.nWorking += 1;
        this.nAsked += 1;
        this.silence = '';
        clearTimeout(this.rest);
        this.changed();
        try {
          const answer = await next(document, position, context, token);
          const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
          if (items.length > 0) {
            this.hasSuggested = true;
          } else if (!token.isCancellationRequested) {
            this.rest = setTimeout(() => void this.askWhy(), REST_MS);
          }
          return answer;
        } finally {
          this.nWorking = Math.max(0, this.nWorking - 1);
          this.changed();
        }
      },
    };
  }

  private settings(): Record<string, Record<string, unknown>> {
    const configuration = vscode.workspace.getConfiguration();
    return explicitSettings(this.keys, (key) => configuration.inspect(key));
  }

  /** All that must be known from the start: what stands in the options holds on, whatever is set later. */
  private menuOption(): object {
    const menu = this.settings()['completion']?.['menu'];
    return menu === undefined ? {} : { completion: { menu } };
  }

  private async askWhy(): Promise<void> {
    const nAsked = this.nAsked;
    try {
      const silence = silenceOf(await this.client?.sendRequest(EXPLAIN, {}));
      if (nAsked === this.nAsked) {
        this.silence = silence;
        this.changed();
      }
    } catch (error) {
      this.output.debug(`the server did not tell why nothing was suggested: ${messageOf(error)}`);
    }
  }

  private errorHandler(): ErrorHandler {
    return {
      // The status bar says it; a popup for each broken message would be noise.
      error: (error) => {
        this.output.error(messageOf(error));
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        const now = Date.now();
        this.crashes = [...this.crashes.filter((time) => now - time < CRASH_MS), now];
        this.nWorking = 0;
        this.told = undefined;
        if (this.crashes.length <= MAX_CRASHES) {
          this.changed();
          return { action: CloseAction.Restart, handled: true };
        }
        this.fail(`the server ended ${this.crashes.length} times within ${CRASH_MS / 60_000} minutes; see the log`);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private fail(detail: string): void {
    this.output.error(detail);
    this.told = { state: 'error', detail };
    this.changed();
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The interpreter that the Python extension has chosen, if that extension is there. */
async function activePython(): Promise<string | undefined> {
  const python = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (python === undefined) {
    return undefined;
  }
  try {
    const { environments } = python.isActive ? python.exports : await python.activate();
    const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath());
    return environment?.executable.uri?.fsPath;
  } catch {
    // Another version of that extension may know other words; the server may still be on PATH.
    return undefined;
  }
}

/** The part of the Python extension's interface that is used. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(): unknown;
    resolveEnvironment(path: unknown): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
