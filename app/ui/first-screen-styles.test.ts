import { expect, test } from "vitest";
import { readStyles } from "./first-screen-styles.ts";

const SHEET = [
  "/*! a comment with { */",
  "@layer base,components;",
  "*,:before{margin:0}",
  ':root{--quote:"}";margin:0}',
  ".a,.b>p{color:red}",
  ".md\\:grid-cols-\\[1fr_2fr\\]{display:grid}",
  ".a:hover{color:green}",
  ".a:not(:hover){color:blue}",
  "[aria-invalid=true] .a{color:tan}",
  "#main:has(.missing) a[href^=mailto\\:]{color:pink}",
  "@media (width>=60rem){.a{color:gold;@media print{color:black}}.missing{color:gray}}",
  "@supports (gap:1px){.missing{color:gray}}",
  "@media print{.a{color:black}}",
  "@keyframes turn{to{rotate:1turn}}",
].join("");

test("keeps the rules that the tags, classes, ids and attributes of a page can use, in their order", () => {
  const cut = readStyles(SHEET);
  expect(cut('<main id="main"><p class="b">One &amp; two</p></main>')).toBe(
    '@layer base,components;*,:before{margin:0}:root{--quote:"}";margin:0}.a,.b>p{color:red}@keyframes turn{to{rotate:1turn}}',
  );
  expect(cut('<main id="main"><a class="a md:grid-cols-[1fr_2fr]" href="mailto:x">x</a></main>')).toBe(
    [
      "@layer base,components;",
      "*,:before{margin:0}",
      ':root{--quote:"}";margin:0}',
      ".a,.b>p{color:red}",
      ".md\\:grid-cols-\\[1fr_2fr\\]{display:grid}",
      ".a:not(:hover){color:blue}",
      "#main:has(.missing) a[href^=mailto\\:]{color:pink}",
      "@media (width>=60rem){.a{color:gold;@media print{color:black}}}",
      "@keyframes turn{to{rotate:1turn}}",
    ].join(""),
  );
});

test("keeps what has an alternative or a value that looks like something else", () => {
  const page =
    '<button class="data-[state=open]:flex" popoverTarget="menu" disabled=""><svg><linearGradient class="a"/></svg></button>';
  for (const rule of [
    '.data-\\[state\\=open\\]\\:flex[data-x="1"],.a{display:flex}',
    ".data-\\[state\\=open\\]\\:flex{display:flex}",
    "button[popovertarget]{color:red}",
    "button:is(:hover,[disabled]){color:red}",
    "button:disabled{color:red}",
    "button:focus-visible{color:red}",
    "button:popover-open{color:red}",
    "linearGradient.a{color:red}",
    "@media print,screen{button{color:red}}",
    "@media (forced-colors:active){button{color:red}}",
  ])
    expect(readStyles(rule)(page)).toBe(rule);
});

test("sets and registers only the properties that a rule it kept reads", () => {
  const registered = (name: string) => `@property ${name}{syntax:"*";inherits:false}`;
  const sheet = [
    "@layer first{*,:before{--c:initial;--d:0 0 #000}}",
    "@layer second{:root{--a:.5rem;--b:0}p{--d:1px;margin:var(--a)}}",
    registered("--a"),
    registered("--c"),
  ].join("");
  expect(readStyles(sheet)("<p>x</p>")).toBe(
    `@layer first;@layer second{:root{--a:.5rem;--b:0}p{--d:1px;margin:var(--a)}}${registered("--a")}`,
  );
});

test("reads the class names of a page as React writes them", () => {
  const cut = readStyles(".\\[\\&\\>li\\]\\:flex>li{display:flex}");
  expect(cut('<ul class="[&amp;&gt;li]:flex"><li>x</li></ul>')).not.toBe("");
  expect(cut('<ul class="flex"><li>x</li></ul>')).toBe("");
});
