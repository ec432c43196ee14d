import { expect, test } from "vitest";
import { firstStyles } from "./first-styles.server.ts";

const first = (css: string) =>
  firstStyles(css, '<body><main class="page md:p-4"><a class="[&amp;>a]:x" href="/">There</a></main>');

test.each([
  ["a class that is there", ".page{color:red}", true],
  ["one that is not", ".band{color:red}", false],
  ["both of one element or its parent", ".page .band{color:red}", false],
  ["one of a list", ".band,.page:hover{color:red}", true],
  ["an escaped class", ".md\\:p-4{padding:1rem}", true],
  ["an escaped class with a selector in it", ".\\[\\&\\>a\\]\\:x{color:red}", true],
  ["an element", "main>a{color:red}", true],
  ["one that is not there", "main>table{color:red}", false],
  ["what may be one of several", ":is(.band,.page){color:red}", true],
  ["what must not be there", "a:not(.band){color:red}", true],
  ["everything", "*,::before{color:red}", true],
  ["a variable's type", '@property --a{syntax:"*";inherits:false}', true],
  ["the order of layers", "@layer theme,base;", true],
  ["a change between pages", "@view-transition{navigation:auto}", false],
])("%s", (_what, css, isKept) => {
  expect(first(css)).toBe(isKept ? css : "");
});

test("groups stay around what is in them, in order, and go without it", () => {
  expect(
    first(
      '/*! licence */@layer a{.band{color:red}.page{content:"}"}@media (width>=1px){.band{color:red}}}.page{color:blue}',
    ),
  ).toBe('@layer a{.page{content:"}"}}.page{color:blue}');
});
