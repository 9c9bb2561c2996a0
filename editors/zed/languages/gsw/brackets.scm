; Which brackets belong together.

("{" @open "}" @close)
("[" @open "]" @close)
("(" @open ")" @close)
