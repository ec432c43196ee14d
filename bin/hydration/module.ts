import { posix } from "node:path";
import { type ESTree, parseAst, Visitor } from "vite";

/** What a source file has to do with the browser. */
export interface Module {
  /** Files that it imports more than types of. */
  imports: string[];
  calls: HookCall[];
  /** Attributes such as onClick. */
  handlers: { line: number; name: string }[];
  /** Style sheets imported for their effect. */
  sheets: { line: number; path: string }[];
  /** A route's, if it says one as a literal. */
  handle: { hydrate: boolean | undefined; isTyped: boolean } | null;
  /** Whether a route with this module is a page. */
  hasDefault: boolean;
}

interface HookCall {
  line: number;
  /** Its name where it is declared. */
  hook: string;
  /** The file it is declared in; `null`: a package has it. */
  from: string | null;
  /** The top-level function or constant around the call. */
  within: string | undefined;
}

/** Where a local name comes from. */
type Names = Map<string, Pick<HookCall, "hook" | "from">>;

const HOOK = /^use([A-Z]|$)/;
const HANDLER = /^on[A-Z]/;

/** Reads what `Module` says from a source file of the site. */
export function readModule(file: string, code: string): Module {
  const program = parse(file, code);
  const names: Names = new Map();
  const module: Module = {
    ...{ imports: [], calls: [], handlers: [], sheets: [], handle: null },
    hasDefault: program.body.some(({ type }) => type === "ExportDefaultDeclaration"),
  };
  const lineOf = ({ start }: { start: number }) => code.slice(0, start).split("\n").length;
  for (const statement of program.body) {
    const path = "source" in statement && statement.source ? statement.source.value : null;
    if (path === null || isOfTypes(statement)) continue;
    const to = importedFile(file, path);
    if (to) module.imports.push(to);
    if (statement.type !== "ImportDeclaration") continue;
    if (path.endsWith(".css")) module.sheets.push({ line: lineOf(statement), path });
    for (const { local, ...specifier } of statement.specifiers)
      names.set(local.name, { hook: importedName(specifier) ?? local.name, from: to });
  }
  module.imports.push(
    ...[...code.matchAll(/\bimport\("([^"]+)"\)/g)].flatMap(
      ([, path = ""]) => importedFile(file, path) ?? [],
    ),
  );
  const declared = program.body.flatMap(declarationsOf);
  const withinOf = ({ start }: { start: number }) =>
    declared.find((declaration) => declaration.start <= start && start < declaration.end)?.name;

  new Visitor({
    CallExpression(node) {
      const called = calledHook(node.callee, names, file);
      if (called) module.calls.push({ line: lineOf(node), within: withinOf(node), ...called });
    },
    JSXAttribute(node) {
      const { name, value } = node;
      if (
        name.type === "JSXIdentifier" &&
        HANDLER.test(name.name) &&
        value?.type === "JSXExpressionContainer"
      )
        module.handlers.push({ line: lineOf(node), name: name.name });
    },
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && id.name === "handle" && init?.type === "ObjectExpression")
        module.handle = { hydrate: hydrateIn(init), isTyped: Boolean(id.typeAnnotation) };
    },
  }).visit(program);
  return module;
}

/** Whether a statement leaves nothing to import when its types are taken away. */
function isOfTypes(statement: ESTree.Directive | ESTree.Statement): boolean {
  if (statement.type === "ImportDeclaration")
    return (
      statement.importKind === "type" ||
      (statement.specifiers.length > 0 &&
        statement.specifiers.every((each) => each.type === "ImportSpecifier" && each.importKind === "type"))
    );
  return "exportKind" in statement && statement.exportKind === "type";
}

function importedName(specifier: object): string | undefined {
  const { imported } = specifier as Partial<ESTree.ImportSpecifier>;
  return imported?.type === "Identifier" ? imported.name : undefined;
}

/** The hook that a call is of: by its name, or as a member of a namespace such as React. */
function calledHook(
  callee: ESTree.Expression,
  names: Names,
  file: string,
): Pick<HookCall, "hook" | "from"> | null {
  if (callee.type === "MemberExpression") {
    const { object, property } = callee;
    const space = object.type === "Identifier" ? names.get(object.name) : undefined;
    if (!space || property.type !== "Identifier" || !HOOK.test(property.name)) return null;
    return { hook: property.name, from: space.from };
  }
  if (callee.type !== "Identifier") return null;
  const named = names.get(callee.name) ?? { hook: callee.name, from: file };
  return HOOK.test(named.hook) || HOOK.test(callee.name) ? named : null;
}

function declarationsOf(
  statement: ESTree.Directive | ESTree.Statement,
): { name: string; start: number; end: number }[] {
  const declaration = "declaration" in statement && statement.declaration ? statement.declaration : statement;
  const { start, end } = statement;
  if (declaration.type === "FunctionDeclaration" && declaration.id)
    return [{ name: declaration.id.name, start, end }];
  if (declaration.type !== "VariableDeclaration") return [];
  return declaration.declarations.flatMap(({ id, ...its }) =>
    id.type === "Identifier" ? [{ name: id.name, start: its.start, end: its.end }] : [],
  );
}

function hydrateIn({ properties }: ESTree.ObjectExpression): boolean | undefined {
  for (const property of properties) {
    if (property.type !== "Property" || property.key.type !== "Identifier") continue;
    if (property.key.name === "hydrate" && property.value.type === "Literal")
      return property.value.value === true;
  }
  return undefined;
}

function parse(file: string, code: string): ReturnType<typeof parseAst> {
  return parseAst(code, { lang: file.endsWith("x") ? "tsx" : "ts" });
}

/** @returns the path from the root of a file of the site; `null` for any other */
function importedFile(from: string, path: string): string | null {
  if (!path.startsWith(".") || path.startsWith("./+types/")) return null;
  const to = posix.join(posix.dirname(from), path.replace(/\?.*$/, ""));
  return /^(app|server).*\.tsx?$/.test(to) ? to : null;
}
